import { findBuiltScript } from '../find-built-script.ts'
import { emptyGeoLookup } from '../geo/geo-lookup.ts'
import { createLocate } from '../geo/locate.ts'
import { openGeoDatabase } from '../geo/open-geo-database.ts'
import { OlderMetadataError } from '../persons/older-metadata-error.ts'
import { createPersonUpdater } from '../persons/person-updater.ts'
import { createEventStores } from '../store/events/event-stores.ts'
import type { EventStore, RejectedRow } from '../store/events/event-store.ts'
import { openSqliteInbox } from '../store/inbox/sqlite-inbox.ts'
import { connectMetadata, describeSource, isSharedSource } from '../store/metadata/open.ts'
import { StoreFileError } from '../store/events/store-file-error.ts'
import { lastCoveredRow } from '../store/row-position.ts'
import { StoreOpeningError } from '../store/events/store-opening-error.ts'
import { createRowProcessor } from './quarantine/row-processor.ts'
import {
  describeInboxFailure,
  describeLostRequests,
  describeOpenFailure,
  describeQueryFailure,
  describeStoreFailure,
} from './describe-failure.ts'
import { startDecompression } from './decompression/start-decompression.ts'
import { createClickHouseEngine } from './engine/clickhouse-engine.ts'
import { startDuckDbEngine } from './engine/duckdb-engine.ts'
import { createFailureTracker } from './failure-tracker.ts'
import { indexRows } from './index-rows.ts'
import { countBodyBytes, startIndexingLoop } from './indexing-loop.ts'
import { moveEvents } from './move/move-events.ts'
import type { EventsSource } from '../store/events/events-source.ts'
import { askWith } from '../insight/question/questions.ts'
import type { AnswerOf, QuestionName } from '../insight/question/questions.ts'
import type { QueryProgress } from './query-control.ts'
import type { FromIndexer, StartMessage, ToIndexer } from './protocol.ts'
import { QueryError } from './query-error.ts'
import { createLogs } from '../log/create-logs.ts'
import { surviveBrokenOutput } from '../log/survive-broken-output.ts'
import type { OlderFile } from './refresh-persons.ts'
import { refreshPersons } from './refresh-persons.ts'
import { startStoreCheck } from './store-check.ts'
import { quarantineRow } from './quarantine/quarantine-row.ts'
import { openWorkRecord } from './quarantine/work-record.ts'

/** The indexer process, started by `startIndexer`. It exchanges messages with the front over the IPC channel of `fork`. */

/**
 * Running queries of all projects together. Each blocks a thread of the pool, and the writer needs a thread too. More than the slots
 * of the front (`query/queries.ts`), which also counts events and sessions.
 */
const MAX_QUERIES = 12

/** Longest wait for a project's store to open. After it the other projects continue: the upgrade of an older file can take minutes. */
const OPEN_TIMEOUT_MS = 2000

/** Longest orderly stop before the process kills itself; stored data is safe at any time. */
const STOP_TIMEOUT_MS = 3000

/** Bytes of request bodies of one project that are written into a store which is opened for them alone. More are worth a store that stays open. */
const MAX_BRIEF_BYTES = 256 * 1024

const MEGABYTE = 1024 * 1024

/** The warnings after `refreshPersons`, by the file that was older. */
const REFRESH_WARNINGS: Readonly<Record<OlderFile, (projectId: number) => string>> = {
  store: (projectId) =>
    `The store of project ${projectId} was older than its persons in the metadata: they were copied into it again.`,
  metadata: (projectId) =>
    `The metadata is older than the store of project ${projectId} (a backup?): persons and groups are now those of the ` +
    'metadata, also in queries. Their later changes are lost until events set them again.',
}

const send = (message: FromIndexer): void => {
  // The front may be gone before 'disconnect' says so; without a callback that would be an uncaught error.
  if (process.connected) process.send?.(message, () => undefined)
}

const createRejectionReporter =
  (projectId: number) =>
  ({ inboxRow, reason }: RejectedRow): void =>
    send({ type: 'rejected', message: `Inbox row ${inboxRow} of project ${projectId} was rejected: ${reason}` })

/** What the messages of the front do. */
interface Running {
  wake(): void
  ping(): Promise<void>
  query(message: QueryMessage): Promise<void>
  cancel(id: number): void
  stop(): Promise<void>
}

type QueryMessage = Extract<ToIndexer, { type: 'query' }>

const start = ({ settings, position: startAfter, previousExit }: StartMessage): Running => {
  const inbox = openSqliteInbox({ path: settings.inboxFile, role: 'reader' })
  const metadata = connectMetadata(settings.metadata)
  const { nodeId } = settings
  const personUpdater = createPersonUpdater(metadata, {
    nodeId,
    isShared: isSharedSource(settings.metadata),
    warn: (message) => send({ type: 'warning', message }),
  })
  const failureCounts = { memoryFailures: new Map<number, number>(), failedCommits: new Map<number, number>() }
  // The front has checked the file at its start. If it cannot be read now, events are stored without a location.
  const geo = openGeoDatabase(settings.geoDatabase).catch((error: unknown) => {
    send({ type: 'warning', message: `Events get no geo properties until the next start: ${String(error)}` })
    return emptyGeoLookup
  })
  const rowOptions = geo.then((lookup) => ({
    locate: createLocate(lookup),
    storeAddresses: settings.storeAddresses,
    nodeId,
  }))
  const rowProcessor = createRowProcessor(openWorkRecord(`${settings.inboxFile}.working`), previousExit)
  const failures = createFailureTracker((reason) => send({ type: 'failure', reason }))
  const { events } = settings
  const engine =
    typeof events === 'string'
      ? startDuckDbEngine({
          folder: events,
          memoryMb: settings.memoryMb,
          warn: (message) => send({ type: 'warning', message }),
        })
      : createClickHouseEngine({ source: events, metadata, isShared: isSharedSource(settings.metadata), nodeId })
  const { placeOf } = engine
  const decompression = startDecompression(findBuiltScript('decompression-thread'))
  const openReported = async (projectId: number, isBrief: boolean): Promise<EventStore> => {
    try {
      const store = await engine.open(projectId, isBrief)
      failures.set(`open ${projectId}`, null)
      return store
    } catch (error) {
      const place = error instanceof StoreFileError ? error.file : placeOf(projectId)
      failures.set(`open ${projectId}`, describeOpenFailure(projectId, place, error))
      throw error
    }
  }
  const reportedLosses = new Set<string>()
  /** Says once how many requests a store should have and does not. */
  const reportLoss = (projectId: number, row: number): void => {
    const lost = inbox.storedAfter(projectId, row)
    if (lost === null || reportedLosses.has(`${projectId} ${lost.lastRow}`)) return
    reportedLosses.add(`${projectId} ${lost.lastRow}`)
    send({ type: 'notice', message: describeLostRequests(projectId, placeOf(projectId), { ...lost, row }) })
  }
  const open = async (projectId: number, isBrief: boolean): Promise<EventStore> => {
    const store = await openReported(projectId, isBrief)
    const firstInboxRow = (): number | undefined => inbox.readAfter(0, 1, 1)[0]?.id
    const { inboxRow } = store.position()
    try {
      if (inboxRow > inbox.lastAssignedId()) {
        send({ type: 'store_ahead', projectId, row: inboxRow })
        throw new Error(
          `it has requests up to ${inboxRow}, which this inbox never assigned: the file is from another data folder, or newer ` +
            'than the inbox and the metadata. The waiting requests get higher numbers',
        )
      }
      reportLoss(projectId, lastCoveredRow(store.position()))
      const olderFile = await refreshPersons({ metadata, nodeId, store, projectId, firstInboxRow })
      if (olderFile !== null) send({ type: 'warning', message: REFRESH_WARNINGS[olderFile](projectId) })
      return store
    } catch (error) {
      await store.close()
      throw error
    }
  }
  const stores = createEventStores(open, settings.maxOpenStores)
  const toldFaults = new Set<string>()
  /** Says once what is wrong with a store that opens. `openReported` says why one does not open. */
  const checkStore = async (projectId: number): Promise<void> => {
    try {
      await stores.with(projectId, async () => undefined, { brief: 'always' })
    } catch (error) {
      const fault = `The store of project ${projectId} cannot be used yet: ${error instanceof Error ? error.message : String(error)}`
      if (!failures.has(`open ${projectId}`) && !toldFaults.has(fault)) send({ type: 'warning', message: fault })
      toldFaults.add(fault)
      throw error
    }
  }
  const listed = new Set(engine.listStores())
  const storeCheck = startStoreCheck({
    projects: [...new Set([...listed, ...inbox.storedProjects()])],
    async check(projectId) {
      // One that was there at the start and was moved away since then does not open, and nothing is lost yet.
      if (listed.has(projectId) || engine.hasStore(projectId)) await checkStore(projectId)
      // To open it would begin an empty one.
      else reportLoss(projectId, 0)
    },
  })
  const loop = startIndexingLoop({
    inbox,
    now: () => performance.now(),
    startAfter,
    mayHaveDied: previousExit !== 'requested',
    async index(projectId, rows, { signal, exclusively, readMore }) {
      try {
        const onRejected = createRejectionReporter(projectId)
        const { decompress } = decompression
        const context = {
          personUpdater,
          projectId,
          ...failureCounts,
          rowOptions: await rowOptions,
          onRejected,
          signal,
          decompress,
        }
        await stores.with(
          projectId,
          (store) =>
            exclusively(() =>
              rowProcessor.process(projectId, rows, {
                position: () => store.position(),
                readMore: () => readMore(lastCoveredRow(store.position())),
                index: (unstored, readAndRecordMore) =>
                  indexRows({ ...context, store, readMore: readAndRecordMore }, unstored),
                async quarantine(row, reason) {
                  const advice = `${reason}. ${engine.describeRecovery(projectId)}`
                  onRejected(await quarantineRow({ metadata, nodeId, store, projectId }, row, advice))
                },
              }),
            ),
          { openTimeoutMs: OPEN_TIMEOUT_MS, brief: countBodyBytes(rows) <= MAX_BRIEF_BYTES ? 'ifFull' : 'never' },
        )
      } catch (error) {
        if (engine.mustReopen(error) || error instanceof OlderMetadataError) await stores.reopen(projectId)
        throw error
      }
    },
    onProgress: (position) => send({ type: 'progress', position }),
    onIdle: () => send({ type: 'idle', memoryMb: Math.round(process.memoryUsage.rss() / MEGABYTE) }),
    onFailure(projectId, error) {
      const isOpen = !failures.has(`open ${projectId}`)
      const isFailing = error !== null && isOpen
      failures.set(
        `index ${projectId}`,
        isFailing
          ? describeStoreFailure(projectId, placeOf(projectId), describeSource(settings.metadata), error)
          : null,
      )
    },
    onReadFailure(error) {
      failures.set('inbox', error === null ? null : describeInboxFailure(settings.inboxFile, error))
    },
  })
  let queries = 0
  const cancellers = new Map<number, AbortController>()
  return {
    wake: () => loop.wake(),
    ping: () => engine.ping(),
    async query({ id, projectId, name, question }) {
      const startedAt = performance.now()
      const canceller = new AbortController()
      const { signal } = canceller
      cancellers.set(id, canceller)
      let isRunning = false
      let usedStore: EventStore | undefined
      // A store may take minutes to open, for which a cancelled query does not wait.
      const cancelled = new Promise<never>((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          if (!isRunning) reject(createCancelledError())
        })
      })
      const onProgress = (progress: QueryProgress): void => send({ type: 'query_progress', id, progress })
      const run = async (store: EventStore): Promise<AnswerOf<QuestionName>> => {
        if (signal.aborted) throw createCancelledError()
        usedStore = store
        if (queries >= MAX_QUERIES) {
          throw new QueryError('store_unavailable', `${MAX_QUERIES} queries are running; try again when one has ended.`)
        }
        queries += 1
        isRunning = true
        try {
          // The front kills a process whose query does not stop in time, and that time runs while the store opens.
          const waitedMs = Math.round(performance.now() - startedAt)
          const timeoutMs = Math.max(1, question.timeoutMs - waitedMs)
          return await askWith(store)(name, { ...question, timeoutMs }, { signal, onProgress })
        } finally {
          queries -= 1
        }
      }
      try {
        const result = stores.with(projectId, run, { openTimeoutMs: question.timeoutMs })
        send({ type: 'query_result', id, result: await Promise.race([result, cancelled]) })
      } catch (error) {
        const queryError = error instanceof QueryError ? error : toOpenError(error)
        const damage = describeQueryFailure(projectId, placeOf(projectId), error)
        // Kept until the service stops: the damaged file stays open.
        if (damage !== null && error instanceof QueryError) failures.set(`query ${projectId}`, damage)
        send({ type: 'query_error', id, code: queryError.code, detail: queryError.message })
        // Without this, a project without new events would answer no query until the next start.
        if (usedStore !== undefined && engine.isInvalidated(error)) await stores.reopen(projectId, usedStore)
      } finally {
        cancellers.delete(id)
      }
    },
    cancel: (id) => cancellers.get(id)?.abort(),
    async stop() {
      storeCheck.stop()
      const loopStopped = loop.stop()
      rowProcessor.stop()
      stores.interrupt()
      await loopStopped
      await stores.close()
      await engine.stop()
      await decompression.stop()
      await metadata.destroy()
      inbox.close()
    },
  }
}

const createCancelledError = (): QueryError => new QueryError('cancelled', 'The query was cancelled.')

const toOpenError = (cause: unknown): QueryError =>
  new QueryError(
    'store_unavailable',
    cause instanceof StoreOpeningError
      ? 'The event store is still opening, for example because an update of Waymark copies it into a new format. Try the query again later.'
      : 'The event store could not be opened.',
    { cause },
  )

/** Moves the events before anything is indexed. Until then there is no store that queries could read. */
const startMove = ({ settings }: StartMessage, source: EventsSource): Running => {
  const metadata = connectMetadata(settings.metadata)
  const stopper = new AbortController()
  const move = async (): Promise<void> => {
    const copies = await moveEvents({
      settings,
      source,
      metadata,
      signal: stopper.signal,
      onNotice: (notice) => send({ type: 'moving', notice }),
      onWarning: (message) => send({ type: 'warning', message }),
      onFailure: (reason) => send({ type: 'failure', reason }),
    })
    await metadata.destroy()
    if (copies !== null) send({ type: 'moved', copies })
  }
  const ended = move()
  return {
    wake: () => undefined,
    ping: () => Promise.resolve(),
    query({ id }) {
      const detail = 'The events are being moved to another store. Try the query again later.'
      send({ type: 'query_error', id, code: 'store_unavailable', detail })
      return Promise.resolve()
    },
    cancel: () => undefined,
    stop() {
      stopper.abort()
      return ended
    },
  }
}

let running: Running | null = null

const log = createLogs()('indexer')

const begin = async (message: StartMessage): Promise<void> => {
  // A move, which has ended.
  await running?.stop()
  const { moveFrom } = message.settings
  running = moveFrom === undefined ? start(message) : startMove(message, moveFrom)
  send({ type: 'ready', pid: process.pid })
}

/** Ends the process so that the front counts it as crashed. `process.abort` does too, and prints a native stack trace, which says nothing. */
const endAfterFailure = (): void => void process.kill(process.pid, 'SIGABRT')

let isEnding = false

const end = async (): Promise<void> => {
  if (isEnding) return
  isEnding = true
  // SIGKILL because `process.exit` waits for the threads, and a query in its planning phase cannot be interrupted.
  setTimeout(() => process.kill(process.pid, 'SIGKILL'), STOP_TIMEOUT_MS)
  try {
    await running?.stop()
  } catch (error) {
    // What is stored stays stored, and the next process opens it.
    log.error(error)
  }
  process.exit(0)
}

/** Only if both threads answer: either may be blocked by native code. A thread that has ended, as in a stop, answers nothing. */
const answerPing = async (): Promise<void> => {
  try {
    await running?.ping()
  } catch (error) {
    if (isEnding) return
    log.error(error)
    endAfterFailure()
    return
  }
  const { user, system } = process.cpuUsage()
  send({ type: 'pong', cpuMs: (user + system) / 1000 })
}

surviveBrokenOutput()
process.on('message', (message: ToIndexer) => {
  switch (message.type) {
    case 'start':
      void begin(message)
      break
    case 'wake':
      running?.wake()
      break
    case 'query':
      void running?.query(message)
      break
    case 'cancel':
      running?.cancel(message.id)
      break
    case 'ping':
      void answerPing()
      break
    case 'stop':
      void end()
  }
})
// By default the process would wait for its threads, and a running query would keep the lock of its store, which the next process needs.
process.on('uncaughtException', (error) => {
  log.error(error)
  endAfterFailure()
})
// The front is gone; the next front starts its own indexer.
process.on('disconnect', () => void end())
process.on('SIGTERM', () => void end())
// Ctrl-C reaches every process of a terminal; the front decides when the indexer ends.
process.on('SIGINT', () => undefined)
