import { join } from 'node:path'
import { noGeo } from '../geo/geo.ts'
import { createLocate } from '../geo/locate.ts'
import { openGeo } from '../geo/open-geo.ts'
import { personId } from '../persons/person-id.ts'
import { createPersonRegister } from '../persons/register.ts'
import { createEventStores } from '../store/events/event-stores.ts'
import type { EventStore, RejectedRow } from '../store/events/event-store.ts'
import { openDuckDbStore } from '../store/events/duckdb/open-store.ts'
import { openSqliteInbox } from '../store/inbox/sqlite.ts'
import { connectMetadata } from '../store/metadata/open.ts'
import { StoreFileError } from '../store/events/store-file-error.ts'
import { createCareful } from './quarantine/process-rows.ts'
import { createFailures, inboxFailure, queryFailure, storeFailure, storeFileFailure, whenSetAside } from './failures.ts'
import { indexRows } from './index-rows.ts'
import { startLoop } from './loop.ts'
import type { FromIndexer, StartMessage, ToIndexer } from './protocol.ts'
import { QueryError } from './query-error.ts'
import type { EarlierState } from './renew-persons.ts'
import { renewPersons } from './renew-persons.ts'
import { setAside } from './quarantine/quarantine-row.ts'
import { openWorkRecord } from './quarantine/work-record.ts'

/** The indexer process: started by `startIndexer`, which speaks to it over the channel that `fork` opens. */

/** Queries of all projects at once. Each holds a thread of the pool, which the writer needs too. */
const MAX_QUERIES = 8

/** How long an orderly end may take before the process just ends: everything is safe at any moment. */
const END_MS = 3000

/** Megabytes one project's queries may spill to disk. */
const SPILL_MB = 4096

/** What is said once the persons of a store were renewed, by what was earlier. */
const RENEWED: Readonly<Record<EarlierState, (projectId: number) => string>> = {
  store: (projectId) =>
    `The store of project ${projectId} was older than its persons in the metadata: they were copied into it again.`,
  metadata: (projectId) =>
    `The metadata is older than the store of project ${projectId} (a backup?): persons and groups are as they were then, in ` +
    `queries too. What later events said of them is lost, until it is said again.`,
}

const tell = (message: FromIndexer): void => {
  if (process.connected) process.send?.(message)
}

const tellRejected =
  (projectId: number) =>
  ({ inboxRow, reason }: RejectedRow): void =>
    tell({ type: 'rejected', message: `Inbox row ${inboxRow} of project ${projectId} was set aside: ${reason}` })

const start = ({ settings, position: from, lastEnd }: StartMessage) => {
  const inbox = openSqliteInbox({ path: settings.inboxFile, role: 'reader' })
  const metadata = connectMetadata(settings.metadataFile)
  const register = createPersonRegister(metadata, (message) => tell({ type: 'warning', message }))
  const memoryFailures = new Map<number, number>()
  // The front could read it when it started: whatever has become of it since, events are worth more than their places.
  const geo = openGeo(settings.geoDatabase).catch((error: unknown) => {
    tell({ type: 'warning', message: `Events get no geo properties until the next start: ${String(error)}` })
    return noGeo
  })
  const addresses = geo.then((known) => ({ locate: createLocate(known), isStored: settings.storeAddresses }))
  const careful = createCareful(openWorkRecord(`${settings.inboxFile}.working`), lastEnd)
  const failures = createFailures((reason) => tell({ type: 'failure', reason }))
  const fileOf = (projectId: number): string => join(settings.eventsFolder, `${projectId}.duckdb`)
  const openFile = async (projectId: number): Promise<EventStore> => {
    try {
      const store = await openDuckDbStore({
        file: fileOf(projectId),
        originOf: (distinctId) => personId(projectId, distinctId),
        memoryMb: settings.memoryMb,
        spillMb: SPILL_MB,
        threads: 2,
        onRepair: (message) => tell({ type: 'warning', message }),
      })
      failures.set(`open ${projectId}`, null)
      return store
    } catch (error) {
      const file = error instanceof StoreFileError ? error.file : fileOf(projectId)
      failures.set(`open ${projectId}`, storeFileFailure(projectId, file, error))
      throw error
    }
  }
  const open = async (projectId: number): Promise<EventStore> => {
    const store = await openFile(projectId)
    const firstInboxRow = (): number | undefined => inbox.readAfter(0, 1, 1)[0]?.id
    const { inboxRow } = store.position()
    try {
      if (inboxRow > inbox.lastGiven()) {
        tell({ type: 'ahead', projectId, row: inboxRow })
        throw new Error(
          `it has seen requests up to ${inboxRow}, which this inbox never gave: the file is of another folder, or later than the inbox and the metadata. The requests that wait are given numbers above`,
        )
      }
      const earlier = await renewPersons({ metadata, store, projectId, firstInboxRow })
      if (earlier !== null) tell({ type: 'warning', message: RENEWED[earlier](projectId) })
      return store
    } catch (error) {
      await store.close()
      throw error
    }
  }
  const stores = createEventStores(open, settings.maxOpenStores)
  const loop = startLoop({
    inbox,
    from,
    async index(projectId, rows) {
      try {
        const onRejected = tellRejected(projectId)
        const parts = { register, projectId, memoryFailures, addresses: await addresses, onRejected }
        await stores.with(projectId, (store) =>
          careful.work(projectId, rows, {
            position: () => store.position(),
            index: (some) => indexRows({ ...parts, store }, some),
            async setAside(row, reason) {
              const told = `${reason}. ${whenSetAside(fileOf(projectId))}`
              onRejected(await setAside({ metadata, store, projectId }, row, told))
            },
          }),
        )
      } catch (error) {
        // After some errors DuckDB refuses everything until the file is opened anew.
        await stores.reopen(projectId)
        throw error
      }
    },
    onProgress: (position) => tell({ type: 'progress', position }),
    onIdle: () => tell({ type: 'idle' }),
    onFailure(projectId, error) {
      const isOpen = !failures.has(`open ${projectId}`)
      const isFailing = error !== null && isOpen
      failures.set(
        `index ${projectId}`,
        isFailing ? storeFailure(projectId, fileOf(projectId), settings.metadataFile, error) : null,
      )
    },
    onReadFailure(error) {
      failures.set('inbox', error === null ? null : inboxFailure(settings.inboxFile, error))
    },
  })
  let queries = 0
  return {
    wake: () => loop.wake(),
    async query({ id, request }: Extract<ToIndexer, { type: 'query' }>) {
      queries += 1
      let isRunning = false
      let isAnswered = false
      const answer = (message: FromIndexer): void => {
        if (!isAnswered) tell(message)
        isAnswered = true
      }
      // Opening a store may take long after a crash, and must not look like a query that does not stop.
      const opening = setTimeout(() => {
        const detail = 'The event store was not open in time. Try the query again.'
        if (!isRunning) answer({ type: 'refusal', id, code: 'timeout', detail })
      }, request.timeoutMs)
      try {
        if (queries > MAX_QUERIES) {
          throw new QueryError('store_unavailable', `${MAX_QUERIES} queries are running; try again when one has ended.`)
        }
        const result = await stores.with(request.projectId, (store) => {
          isRunning = true
          return store.query(request)
        })
        answer({ type: 'answer', id, result })
      } catch (error) {
        const known =
          error instanceof QueryError
            ? error
            : new QueryError('store_unavailable', 'The event store could not be opened.', { cause: error })
        const damage = queryFailure(request.projectId, fileOf(request.projectId), error)
        // Known until the service was stopped: the file stays open, and the damage in it.
        if (damage !== null && error instanceof QueryError) failures.set(`query ${request.projectId}`, damage)
        answer({ type: 'refusal', id, code: known.code, detail: known.message })
      } finally {
        clearTimeout(opening)
        queries -= 1
      }
    },
    async stop() {
      const stopped = loop.stop()
      careful.end()
      stores.interrupt()
      await stopped
      await stores.close()
      await metadata.destroy()
      inbox.close()
    },
  }
}

let running: ReturnType<typeof start> | null = null

const end = async (): Promise<void> => {
  // Not `exit`, which waits for the threads: a query that plans cannot be interrupted.
  setTimeout(() => process.kill(process.pid, 'SIGKILL'), END_MS).unref()
  await running?.stop()
  process.exit(0)
}

process.on('message', (message: ToIndexer) => {
  switch (message.type) {
    case 'start':
      running ??= start(message)
      tell({ type: 'ready' })
      break
    case 'wake':
      running?.wake()
      break
    case 'query':
      void running?.query(message)
      break
    case 'ping':
      tell({ type: 'pong' })
      break
    case 'stop':
      void end()
  }
})
// Without its parent nobody is left to answer to; the next one starts its own.
process.on('disconnect', () => void end())
process.on('SIGTERM', () => void end())
// Ctrl-C reaches every process of a terminal; the parent decides when this one ends.
process.on('SIGINT', () => undefined)
