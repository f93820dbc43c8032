import type { DuckDBConnection } from '@duckdb/node-api'
import type { Queue } from '../../../create-queue.ts'
import { createQueue } from '../../../create-queue.ts'
import type { DeriveOriginId } from './distinct-ids.ts'
import { openDistinctIds } from './distinct-ids.ts'
import { countEvents } from './event-table/count-events.ts'
import type { EventTable, EventTableOptions } from './event-table/event-table.ts'
import { openEventTable } from './event-table/event-table.ts'
import type { UuidClaims } from '../uuid-claims.ts'
import { QueryError } from '../../../indexer/query-error.ts'
import { StoreFileError } from '../store-file-error.ts'
import { FailedCommitError } from '../event-store.ts'
import { openUuidClaims } from '../uuid-claims.ts'
import type { BatchTables, BatchWriter } from './batch-writer.ts'
import { createBatchWriter } from './batch-writer.ts'
import type { CachedBlocksOptions } from './cached-blocks.ts'
import { createCachedBlocks } from './cached-blocks.ts'
import { CHECKED_UUIDS_STAGING, findStored } from './find-stored.ts'
import { openCurrentFile } from './open-current-file.ts'
import type { OpenFile } from './open-current-file.ts'
import type { DuckDbLimits } from './open-instance.ts'
import type { PackedStore } from './packed-store.ts'
import { createMemoryGuard } from './query/memory-guard.ts'
import { openPersonViews } from './open-person-views.ts'
import type { FileFacts } from './file-facts.ts'
import { readFileFacts } from './file-facts.ts'
import { countPackedRows } from './rows/packed-rows.ts'
import { readStoredTimes } from './read-stored-times.ts'
import { runQuery } from './query/run-query.ts'
import { scanRows } from './query/scan-rows.ts'
import { answerQuestion } from './question/answer-question.ts'
import type { SqlRunner } from './question/answer-question.ts'
import { streamRows } from './stream-rows.ts'
import { STAGING } from './schema.ts'
import { createTables, hasCurrentSchema } from './schema-version.ts'
import type { SharedInstance } from './shared-instance.ts'
import { shortenLog } from './shorten-log.ts'

const readMemory = (): number => process.memoryUsage.rss()

/** Longest wait of a commit for DuckDB's own thread while queries run, one of which may keep it for many seconds. Most commits take less. */
const MAX_COMMIT_WAIT_MS = 100

/** Interval at which running queries are interrupted while the store closes. */
const INTERRUPT_MS = 50

/** Ids of each generation (`openDistinctIds`) in a store that is opened for a few events: more would be read only to be forgotten. */
const BRIEF_GENERATION_IDS = 8192

/** How a project's store is opened. */
export interface DuckDbStoreOptions extends DuckDbLimits, EventTableOptions, CachedBlocksOptions {
  /** The project's file; created with its folder. Files with other suffixes are beside it, such as `.wal` and `.uuids`. */
  readonly file: string
  readonly deriveOriginId: DeriveOriginId
  /** See `OpenFileOptions.mustExist`. */
  readonly mustExist?: boolean
  /** Receives a message when a damaged part is created again, or an older file upgraded. Default: nothing. */
  readonly onRepair?: (message: string) => void
  /** Ends the process when a query takes far more memory than it may and cannot be interrupted. Default: nothing. */
  readonly endProcess?: () => void
  /**
   * Where the file is opened to write a few events, if it can be: such a store answers no question, and leaves to others what can wait. Default:
   * the file gets an instance of its own.
   */
  readonly shared?: SharedInstance | undefined
}

/** Opens or creates a project's file. Rejects with nothing left open, so that it can be retried. */
export const openPackedStore = async (options: DuckDbStoreOptions): Promise<PackedStore> => {
  const { file, memoryMb, threads, onRepair = () => undefined, endProcess = () => undefined } = options
  const queryConnections = new Set<DuckDBConnection>()
  const commitWaitMs = (): number => {
    // One of the threads is that of the caller.
    if (threads === 1) return 0
    return queryConnections.size === 0 ? Infinity : MAX_COMMIT_WAIT_MS
  }
  const parts = await openParts(options, commitWaitMs)
  const { openFile, isBrief, eventCount, claims, eventTable, batchWriter } = parts
  let { progress } = parts
  const opened = { eventCount, progress, columns: eventTable.columns() }
  const { writer, checkFile } = openFile
  const cachedBlocks = createCachedBlocks(writer, options)
  const requireFile = (): void => {
    try {
      checkFile()
    } catch (error) {
      throw new StoreFileError(file, error)
    }
  }
  const runningWork = new Set<Promise<unknown>>()
  let isClosing = false

  let interruptTimer: NodeJS.Timeout | undefined
  const interrupt = (): void => {
    isClosing = true
    const interruptAll = () => queryConnections.forEach((connection) => connection.interrupt())
    interruptAll()
    // DuckDB ignores an interrupt between two statements, so it is repeated.
    interruptTimer ??= setInterval(interruptAll, INTERRUPT_MS).unref()
  }

  // `close` waits for tracked work.
  const track = async <Result>(work: Promise<Result>): Promise<Result> => {
    runningWork.add(work)
    try {
      return await work
    } finally {
      runningWork.delete(work)
    }
  }

  /** A connection runs one statement after the other, so what it does is queued. */
  const createTrackedQueue = (): Queue => {
    const queueWork = createQueue()
    return (work) => track(queueWork(work))
  }
  const queue = createTrackedQueue()
  const queueCheck = createTrackedQueue()

  /** Whether a commit failed for lack of memory (`FailedCommitError`). */
  let isBroken = false
  /** Whether what the store knows of its file is certain. */
  let isKnown = true
  /** Changes the file. */
  const change = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    try {
      return await work()
    } catch (error) {
      isKnown = false
      isBroken ||= error instanceof FailedCommitError
      throw error
    }
  }
  const currentFacts = (): FileFacts | undefined =>
    isKnown && !batchWriter.isOpen()
      ? { ...parts.factsOfPersons(), progress, columns: eventTable.columns() }
      : undefined
  /** Creates a function that makes changes which may wait. A failure is reported, and the next open tries again. */
  const createChanger = (failure: string) => {
    let canChange = true
    return async <Result>(change: () => Promise<Result>): Promise<Result | undefined> => {
      if (!canChange || isBrief || isBroken || batchWriter.isOpen() || isClosing) return undefined
      try {
        return await change()
      } catch (error) {
        canChange = false
        isKnown = false
        onRepair(`${failure}: ${String(error)}`)
        return undefined
      }
    }
  }
  const changeColumns = createChanger(`The columns of ${file} could not be adapted to its properties`)
  const count = createChanger(`The events of ${file} could not be counted in advance, so that counts take longer`)
  const free = createChanger(`The memory of ${file} could not be freed, or its limit is not what it was`)
  let queryCount = 0
  /** Queries begin after it: they would meet the lower limit. */
  let freeing: Promise<unknown> = Promise.resolve()
  const freeBlocks = async (): Promise<void> => {
    if (queryCount > 0 || !cachedBlocks.areUnused()) return
    freeing = queueCheck(() => free(cachedBlocks.free))
    await freeing
  }
  const adaptNext = async () => (await changeColumns(eventTable.fillNext)) || (await count(eventTable.countNext))
  let isAdapting = false
  /** Fills columns and counts events in steps, between which batches are written. */
  const adaptAll = async (): Promise<void> => {
    if (isAdapting) return
    isAdapting = true
    while (await queue(adaptNext));
    isAdapting = false
  }
  void adaptAll()

  /** Does work that needs the blocks and the whole memory. */
  const asQuery = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    queryCount += 1
    cachedBlocks.onQuery()
    try {
      await freeing
      return await work()
    } finally {
      queryCount -= 1
      cachedBlocks.onQuery()
    }
  }

  /** Does work with a connection of its own, which `interrupt` ends. */
  const withConnection = <Result>(work: (connection: DuckDBConnection) => Promise<Result>): Promise<Result> => {
    if (isClosing) return Promise.reject(new QueryError('store_unavailable', 'The event store is closing.'))
    return track(
      asQuery(async () => {
        const connection = await openFile.connect()
        queryConnections.add(connection)
        try {
          return await work(connection)
        } finally {
          queryConnections.delete(connection)
          connection.closeSync()
        }
      }),
    )
  }

  return {
    opened,
    async readStoredTimes() {
      try {
        return await withConnection((connection) => readStoredTimes(connection, Date.now()))
      } catch (error) {
        // A brief store reads no times, because few events are sought in it.
        if (!isClosing && !isBrief)
          onRepair(`Each event of ${file} is sought before it is stored, which takes time: ${String(error)}`)
        throw error
      }
    },
    findStored: (uuids) => queueCheck(async () => findStored(await openFile.checker(), uuids)),
    async claim(events) {
      const owned = new Set((await claims.open()).claim(events))
      return events.flatMap((event, place) => (owned.has(event) ? [place] : []))
    },
    canStore: (events) => queue(() => batchWriter.canStore(events)),
    add: (batch) => {
      cachedBlocks.onWrite(countPackedRows(batch.events.rows))
      return queue(() => change(() => batchWriter.add(batch)))
    },
    commit: (end) =>
      new Promise((resolve, reject) => {
        const isCommitted = queue(async () => {
          await change(() => batchWriter.commit(end))
          ;({ progress } = end)
          if (!isBrief) await change(() => shortenLog(writer, options, commitWaitMs))
          // Requests are deleted from the inbox only after a commit to a file that still has its name.
          requireFile()
          await changeColumns(() => eventTable.addColumns(end.properties))
          resolve(eventTable.columns())
          // Under load the next batch is waiting, so there would be no other time.
          await adaptNext()
          await freeBlocks()
        })
        isCommitted.then(adaptAll, reject)
      }),
    discard: () => queue(() => change(() => batchWriter.discard())),
    ask: (name, question, control = {}) =>
      withConnection((connection) => {
        const createGuard = () => createMemoryGuard({ memoryMb, readMemory, endProcess })
        const countedRows = eventTable.countedRows()
        const runner: SqlRunner = {
          countedRows,
          run: (sql) => runQuery(connection, { ...sql, countedRows }, control, createGuard()),
          scan: (sql, reader) => scanRows(connection, sql, control, createGuard(), reader),
        }
        return answerQuestion(name, question, runner)
      }),
    interrupt,
    async close() {
      interrupt()
      await Promise.allSettled(runningWork)
      clearInterval(interruptTimer)
      // Rows that are not committed could get into the file. What is committed is in the write-ahead log.
      if (isBroken) await writer.run('PRAGMA disable_checkpoint_on_shutdown').catch(() => undefined)
      try {
        await claims.close()
      } finally {
        const facts = currentFacts()
        await openFile.close({ mayCheckpoint: !isBroken, facts })
        if (!isBrief && facts !== undefined) options.shared?.keep(file, facts, checkFile)
      }
    },
  }
}

interface StoreParts {
  readonly openFile: OpenFile
  /** Whether the file is in a shared instance. */
  readonly isBrief: boolean
  readonly claims: LateClaims
  readonly eventTable: EventTable
  readonly batchWriter: BatchWriter
  readonly eventCount: number
  readonly progress: FileFacts['progress']
  factsOfPersons(): Pick<FileFacts, 'idCount' | 'origins' | 'haveNames' | 'haveChanges'>
}

const openParts = async (
  options: DuckDbStoreOptions,
  commitWaitMs: BatchTables['commitWaitMs'],
): Promise<StoreParts> => {
  const { file, deriveOriginId, shared, onRepair = () => undefined } = options
  const sharedFile = shared === undefined ? null : await shared.open(file)
  const isBrief = sharedFile !== null
  const openFile = sharedFile ?? (await openCurrentFile(options))
  const { writer, hasStaging } = openFile
  try {
    if (!hasStaging) {
      if (!(await hasCurrentSchema(writer))) await createTables(writer)
      for (const statement of STAGING) await writer.run(statement)
      await (await openFile.checker()).run(CHECKED_UUIDS_STAGING)
    }
    const facts = openFile.facts ?? (await readFileFacts(writer))
    const maxGenerationIds = isBrief ? BRIEF_GENERATION_IDS : undefined
    const { idCount, origins } = facts
    const distinctIds = openDistinctIds(writer, { deriveOriginId, idCount, origins, maxGenerationIds })
    const personViews = await openPersonViews(writer, facts, isBrief)
    const eventTable = await openEventTable(writer, distinctIds, facts.columns, { ...options, isBrief })
    const batchWriter = createBatchWriter({
      connection: writer,
      distinctIds,
      ...personViews,
      eventTable,
      deriveOriginId,
      // A shared instance has no thread of its own.
      commitWaitMs: isBrief ? () => 0 : commitWaitMs,
    })
    const eventCount = isBrief ? Infinity : await countEvents(writer)
    const storedUuids = (): AsyncGenerator<readonly string[]> => streamUnorderedUuids(writer)
    const claims = createLateClaims(() => openUuidClaims({ file: `${file}.uuids`, storedUuids, onRepair }))
    // Damage of the claims shows when the store opens.
    if (!isBrief) await claims.open()
    const { personNames, propertyChanges } = personViews
    return {
      openFile,
      isBrief,
      eventCount,
      progress: facts.progress,
      claims,
      eventTable,
      batchWriter,
      factsOfPersons: () => ({
        idCount: distinctIds.count(),
        origins: distinctIds.origins(),
        haveNames: personNames.areUsed(),
        haveChanges: propertyChanges.areUsed(),
      }),
    }
  } catch (error) {
    await openFile.close()
    throw error
  }
}

/** Claims that are opened when the first uuid needs one: most agents send none that do. */
interface LateClaims {
  open(): Promise<UuidClaims>
  close(): Promise<void>
}

const createLateClaims = (open: () => Promise<UuidClaims>): LateClaims => {
  let claims: Promise<UuidClaims> | undefined
  return {
    open: () => (claims ??= open()),
    close: async () => (await claims?.catch(() => undefined))?.close(),
  }
}

/** The uuids of all stored events that are not ordered by time, and therefore need claims. */
const streamUnorderedUuids = async function* (writer: DuckDBConnection): AsyncGenerator<readonly string[]> {
  const sql = "SELECT uuid::VARCHAR FROM internal.events WHERE substr(uuid::VARCHAR, 15, 1) <> '7'"
  for await (const rows of streamRows(writer, sql)) yield rows.map(([uuid]) => String(uuid))
}
