import { afterAll, expect, onTestFinished } from 'vitest'
import type { AppParts } from '../../../src/service/app.ts'
import type { JsonObject } from '../../../src/wire/json.ts'
import type { EventStore } from '../../../src/service/store/events/event-store.ts'
import { storeWorld } from '../../contract/questions/world.ts'
import type { WorldEvent } from '../../contract/questions/world.ts'
import { openTestEventStore } from './event-store.ts'
import { openApp, openServiceForFile } from './app.ts'
import { withManagement } from './management.ts'
import type { ManagementResponse } from './management.ts'
import { createMemoryIndexer } from './memory-indexer.ts'

/** The management API of a project with events in a real store. */
export interface InsightService extends ReturnType<typeof withManagement> {
  readonly store: EventStore
  /** Asks a query, and waits for its answer. */
  readonly ask: (query: JsonObject) => Promise<ManagementResponse>
}

const openService = async (
  events: readonly WorldEvent[],
  now: number | (() => number),
  open: (overrides: Partial<AppParts>) => ReturnType<typeof openApp>,
): Promise<{ readonly service: InsightService; readonly close: () => Promise<void> }> => {
  const { store, close } = await openTestEventStore()
  await storeWorld(store, events)
  const indexer = createMemoryIndexer((request, control) => store.query(request, control), store)
  const management = withManagement(await open({ indexer, now: typeof now === 'number' ? () => now : now }))
  const ask = (query: JsonObject): Promise<ManagementResponse> => management.request('POST', 'query/', { query })
  return { service: { ...management, store, ask }, close }
}

/**
 * Opens the management API on a real store, until the test ends.
 *
 * @param now Milliseconds since 1970; a function for a clock that moves.
 */
export const openInsights = async (
  events: readonly WorldEvent[],
  now: number | (() => number),
): Promise<InsightService> => {
  const { service, close } = await openService(events, now, openApp)
  onTestFinished(close)
  return service
}

/** What the tests of one kind of query need. Call it outside of tests. */
export interface InsightTestBed {
  /** Opens the service anew, until the test ends. */
  readonly open: () => Promise<InsightService>
  /** Asks the service of the file a query, and returns the answer, which is computed anew. */
  readonly ask: (query: JsonObject) => Promise<ManagementResponse['body']>
  /** Expects that a query is refused as invalid, and that the error contains this message. */
  readonly expectRefusal: (query: JsonObject, message: string) => Promise<void>
}

export const createInsightTestBed = (events: readonly WorldEvent[], now: number): InsightTestBed => {
  const closers: (() => Promise<void>)[] = []
  let service: Promise<InsightService> | undefined
  const openOnce = async (): Promise<InsightService> => {
    const opened = await openService(events, now, async (overrides) => {
      const app = await openServiceForFile(overrides)
      closers.push(app.close)
      return app.service
    })
    closers.push(opened.close)
    return opened.service
  }
  afterAll(async () => {
    for (const close of closers) await close()
  })
  const askAnew = async (query: JsonObject): Promise<ManagementResponse> =>
    (await (service ??= openOnce())).request('POST', 'query/', { query, refresh: 'force_blocking' })
  return {
    open: () => openInsights(events, now),
    async ask(query) {
      const { status, body } = await askAnew(query)
      expect({ status, body }).toMatchObject({ status: 200 })
      return body
    },
    async expectRefusal(query, message) {
      const { status, body } = await askAnew(query)
      expect([status, body.type]).toEqual([400, 'validation_error'])
      expect(body.detail).toContain(message)
    },
  }
}
