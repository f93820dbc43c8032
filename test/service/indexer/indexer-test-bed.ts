import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Indexer } from '../../../src/service/indexer/indexer.ts'
import type { QueryResult } from '../../../src/service/indexer/query-result.ts'
import type { StartIndexerOptions } from '../../../src/service/indexer/start-indexer.ts'
import { startIndexer } from '../../../src/service/indexer/start-indexer.ts'
import type { Inbox } from '../../../src/service/store/inbox/inbox.ts'
import { openSqliteInbox } from '../../../src/service/store/inbox/sqlite-inbox.ts'
import type { Metadata } from '../../../src/service/store/metadata/open.ts'
import { ONLY_NODE } from '../../../src/service/store/metadata/node-id.ts'
import { openMetadata } from '../../../src/service/store/metadata/open.ts'
import { createProject } from '../../../src/service/store/metadata/projects.ts'

/** A data folder with an inbox, metadata of two projects, and the real indexer process. */
export interface IndexerTestBed {
  readonly folder: string
  readonly inbox: Inbox
  readonly metadata: Metadata
  readonly indexer: Indexer
  /** Process ids of the indexer, in the order of the starts. */
  readonly pids: readonly number[]
  /** The logged information. */
  readonly infos: readonly string[]
  /** The logged warnings. */
  readonly warnings: readonly string[]
  /** Appends a batch of events to the inbox, as the front does, and wakes the indexer. Resolves to the inbox row. */
  send(events: readonly unknown[], projectId?: number): Promise<number>
  query(sql: string, projectId?: number): Promise<QueryResult>
  /** Waits until the inbox row is stored. */
  waitUntilStored(row: number): Promise<void>
  stop(): Promise<void>
}

const SCRIPT = new URL('../../../src/service/dist/indexer.js', import.meta.url).pathname

export const openIndexerTestBed = async (
  options: Pick<StartIndexerOptions, 'hangTimeoutMs' | 'idleReplacement'> = {},
): Promise<IndexerTestBed> => {
  const folder = mkdtempSync(join(tmpdir(), 'waymark-indexer-'))
  const inboxFile = join(folder, 'inbox.sqlite')
  const metadataFile = join(folder, 'metadata.sqlite')
  const inbox = openSqliteInbox({ path: inboxFile })
  const metadata = await openMetadata(metadataFile)
  await createProject(metadata, 'one', 0)
  await createProject(metadata, 'two', 0)
  const pids: number[] = []
  const warnings: string[] = []
  const infos: string[] = []
  const close = async (): Promise<void> => {
    inbox.close()
    await metadata.destroy()
    rmSync(folder, { recursive: true })
  }
  const indexer = await startIndexer({
    onReady: (pid) => pids.push(pid),
    script: SCRIPT,
    ...options,
    settings: {
      inboxFile,
      metadata: metadataFile,
      nodeId: ONLY_NODE,
      events: join(folder, 'events'),
      memoryMb: 256,
      maxOpenStores: 4,
      geoDatabase: null,
      storeAddresses: false,
    },
    onProgress: () => undefined,
    logger: {
      info: (message) => infos.push(message),
      warn: (message) => warnings.push(message),
    },
  }).catch(async (error: unknown) => {
    await close()
    throw error
  })
  const send = async (events: readonly unknown[], projectId = 1): Promise<number> => {
    const row = await inbox.append({
      projectId,
      receivedAt: Date.now(),
      address: null,
      form: '{}',
      body: Buffer.from(JSON.stringify({ api_key: 'key', batch: events })),
    })
    indexer.wake()
    return row
  }
  return {
    folder,
    infos,
    inbox,
    metadata,
    indexer,
    pids,
    warnings,
    send,
    query: (sql, projectId = 1) => indexer.query({ projectId, sql, timeoutMs: 10_000, maxRows: 10_000 }),
    waitUntilStored: (row) => until(() => indexer.status().position >= row),
    async stop() {
      await indexer.stop()
      await close()
    },
  }
}

/** Polls until a condition holds; rejects after `timeoutMs`. */
export const until = async (condition: () => boolean | Promise<boolean>, timeoutMs = 50_000): Promise<void> => {
  const deadline = Date.now() + timeoutMs
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`The condition did not hold within ${timeoutMs} ms.`)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}
