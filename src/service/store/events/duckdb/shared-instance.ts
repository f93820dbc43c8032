import type { DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { existsSync } from 'node:fs'
import { noop } from '../../../noop.ts'
import { quoteIdentifier } from '../../../sql/quote.ts'
import { attachFile } from './attach-file.ts'
import { createClosedFiles } from './closed-files.ts'
import { CHECKED_UUIDS_STAGING } from './find-stored.ts'
import type { FileFacts } from './file-facts.ts'
import { logBytes } from './log-bytes.ts'
import type { CloseOptions, OpenFile } from './open-current-file.ts'
import type { DuckDbLimits } from './open-instance.ts'
import { openCached } from './open-instance.ts'
import { STAGING } from './schema.ts'
import { hasCurrentSchema } from './schema-version.ts'

/**
 * One instance to which files are attached for as long as a few events are written. An instance of its own costs a file 100 ms of processor
 * time, this one less than 10: many projects that each send an event now and then are indexed in turn. No query runs here, because SQL of a
 * member could see the files of other projects.
 */
export interface SharedInstance {
  /**
   * Opens a file; null if it must be opened by itself: it is new, of an earlier version, or cannot be attached. No other instance may have
   * the file open.
   */
  open(file: string): Promise<OpenFile | null>
  /** Keeps the facts of a file that was opened by itself and is closed now (`createClosedFiles`). */
  keep(file: string, facts: FileFacts, checkFile: () => void): void
  /** Files that are open stay so until they are closed. */
  close(): void
}

/**
 * Bytes of a file's write-ahead log from which it is written into the file at the end, after some eight small commits. Each of them makes the next
 * open about 0.7 ms longer, and a checkpoint takes ten times that: with this size both together take least.
 */
const MAX_LOG_BYTES = 8 * 1024

/** A connection cannot detach the file whose tables it uses. */
const LEAVE = 'USE memory'

/** @param name of the instance; its spill files are in `<name>.spill`. */
export const createSharedInstance = (name: string, limits: DuckDbLimits): SharedInstance => {
  /** The instance of the next file. One that was abandoned stays open as long as a file is open in it. */
  let current: Generation | null = null
  let attachedCount = 0
  const closedFiles = createClosedFiles()

  const start = async (): Promise<DuckDBInstance> => {
    // A second thread would wake for each statement, and has hardly anything to do for a few events: that took a fifth of the time.
    const started = await openCached(name, { ...limits, threads: 1 })
    const connection = await started.connect()
    try {
      await connection.run("SET GLOBAL TimeZone = 'UTC'")
      // Otherwise each file would be checkpointed when it is detached (`MAX_LOG_BYTES`).
      await connection.run('PRAGMA disable_checkpoint_on_shutdown')
    } finally {
      connection.closeSync()
    }
    return started
  }

  const connect = async ({ instance }: Generation): Promise<Connections> => {
    const started = await instance
    const connections = { writer: await started.connect(), checker: await started.connect() }
    for (const statement of STAGING) await connections.writer.run(statement)
    await connections.checker.run(CHECKED_UUIDS_STAGING)
    return connections
  }

  const closeConnections = ({ writer, checker }: Connections): void => {
    writer.closeSync()
    checker.closeSync()
  }

  /** The next file starts another instance: after a fatal error of one file DuckDB refuses all files of its instance. */
  const abandon = (generation: Generation): void => {
    if (current !== generation) return
    current = null
    generation.idle.splice(0).forEach(closeConnections)
    generation.instance.then((started) => started.closeSync(), noop)
  }

  const detach = async (
    generation: Generation,
    connections: Connections,
    { file, catalog }: AttachedFile,
    { mayCheckpoint = true }: CloseOptions = {},
  ): Promise<void> => {
    const { writer } = connections
    if (mayCheckpoint && logBytes(file) > MAX_LOG_BYTES) await writer.run(`CHECKPOINT ${catalog}`)
    await writer.run(`${LEAVE}; DETACH ${catalog}`)
    // The next instance starts only when the last connection to one that was abandoned is closed (`openInstance`), so this must not wait for it.
    if (current === generation) generation.idle.push(connections)
    else closeConnections(connections)
  }

  return {
    async open(file) {
      if (!existsSync(file)) return null
      const generation = (current ??= { instance: start(), idle: [] })
      let connections: Connections | undefined
      attachedCount += 1
      const catalog = quoteIdentifier(`file_${attachedCount}`)
      try {
        const opened = (connections = generation.idle.pop() ?? (await connect(generation)))
        const { writer, checker } = opened
        const facts = closedFiles.take(file)
        const checkFile = await attachFile(writer, file, catalog)
        await writer.run(`USE ${catalog}`)
        if (facts === undefined && !(await hasCurrentSchema(writer))) {
          await detach(generation, opened, { file, catalog })
          return null
        }
        let usedChecker: Promise<DuckDBConnection> | undefined
        return {
          writer,
          checker: () => (usedChecker ??= checker.run(`USE ${catalog}`).then(() => checker)),
          hasStaging: true,
          facts,
          checkFile,
          connect: () => Promise.reject(new Error('A shared instance runs no queries.')),
          async close(options) {
            try {
              await detach(generation, opened, { file, catalog }, options)
              if (options?.facts !== undefined) closedFiles.keep(file, options.facts, checkFile)
            } catch {
              closeConnections(opened)
              abandon(generation)
            }
          },
        }
      } catch {
        // Opened by itself, the file gives the reason, if it is at fault. Another file may still be open here, with the instance.
        if (connections !== undefined) {
          await connections.writer.run(LEAVE).catch(noop)
          await connections.writer.run(`DETACH DATABASE IF EXISTS ${catalog}`).catch(noop)
          closeConnections(connections)
        }
        abandon(generation)
        return null
      }
    },
    keep: closedFiles.keep,
    close() {
      if (current !== null) abandon(current)
    },
  }
}

/** An instance, and its connections with staging tables, which the next file uses again. */
interface Generation {
  readonly instance: Promise<DuckDBInstance>
  readonly idle: Connections[]
}

interface AttachedFile {
  readonly file: string
  /** As an identifier of SQL. */
  readonly catalog: string
}

interface Connections {
  readonly writer: DuckDBConnection
  readonly checker: DuckDBConnection
}
