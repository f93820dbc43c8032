import { onTestFinished } from 'vitest'
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
