import { expect, onTestFinished } from 'vitest'
import type { JsonObject } from '../../../src/wire/json.ts'
import type { EventStore } from '../../../src/service/store/events/event-store.ts'
import { storeWorld } from '../../contract/questions/world.ts'
import type { WorldEvent } from '../../contract/questions/world.ts'
import { openTestEventStore } from './event-store.ts'
import { openManagement } from './management.ts'
import type { ManagementResponse } from './management.ts'
import { createMemoryIndexer } from './memory-indexer.ts'

/** The management API of a project with events in a real store. */
export interface InsightService extends Awaited<ReturnType<typeof openManagement>> {
  readonly store: EventStore
  /** Asks a query, and waits for its answer. */
  readonly ask: (query: JsonObject) => Promise<ManagementResponse>
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
  const { store, close } = await openTestEventStore()
  onTestFinished(close)
  await storeWorld(store, events)
  const indexer = createMemoryIndexer((request, control) => store.query(request, control), store)
  const management = await openManagement({ indexer, now: typeof now === 'number' ? () => now : now })
  return { ...management, store, ask: (query) => management.request('POST', 'query/', { query }) }
}

/** What the tests of one kind of query need. Each call opens the service anew, so that no answer comes from an earlier one. */
export interface InsightTestBed {
  readonly open: () => Promise<InsightService>
  /** Asks a query, and returns its answer. */
  readonly ask: (query: JsonObject) => Promise<ManagementResponse['body']>
  /** Expects that a query is refused as invalid, and that the error contains this message. */
  readonly expectRefusal: (query: JsonObject, message: string) => Promise<void>
}

export const createInsightTestBed = (events: readonly WorldEvent[], now: number): InsightTestBed => {
  const open = (): Promise<InsightService> => openInsights(events, now)
  return {
    open,
    async ask(query) {
      const { status, body } = await (await open()).ask(query)
      expect({ status, body }).toMatchObject({ status: 200 })
      return body
    },
    async expectRefusal(query, message) {
      const { status, body } = await (await open()).ask(query)
      expect([status, body.type]).toEqual([400, 'validation_error'])
      expect(body.detail).toContain(message)
    },
  }
}
