import { afterAll, beforeAll } from 'vitest'
import type { EventStore } from '../../../src/service/store/events/event-store.ts'
import type { StoreUnderTest } from '../service-event-store.ts'

/** Opens one store for all tests of a suite, and closes it after them. Call it in `describe`; it returns how a test gets the store. */
export const openForSuite = (create: () => StoreUnderTest): (() => EventStore) => {
  let fixture: StoreUnderTest
  let store: EventStore
  beforeAll(async () => {
    fixture = create()
    store = await fixture.open()
  })
  afterAll(async () => {
    await store.close()
    await fixture.cleanUp()
  })
  return () => store
}
