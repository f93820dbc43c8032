import { rmSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { derivePersonId } from '../../../src/service/persons/person-id.ts'
import type { DuckDbStoreOptions } from '../../../src/service/store/events/duckdb/open-packed-store.ts'
import { openDuckDbStore } from '../../../src/service/store/events/duckdb/open-store.ts'
import type { EventStore } from '../../../src/service/store/events/event-store.ts'

/** A real event store of project 1 in a new folder. */
export interface TestEventStore {
  readonly store: EventStore
  /** Closes the store and deletes its folder. */
  readonly close: () => Promise<void>
}

/** @param threads of DuckDB. Default 2. */
export const openTestEventStore = async (
  threads = 2,
  options: Partial<DuckDbStoreOptions> = {},
): Promise<TestEventStore> => {
  const folder = await mkdtemp(join(tmpdir(), 'waymark-events-'))
  const store = await openDuckDbStore({
    file: join(folder, '1.duckdb'),
    deriveOriginId: (distinctId) => derivePersonId(1, distinctId),
    memoryMb: 256,
    spillMb: 16,
    threads,
    ...options,
  })
  return {
    store,
    close: async () => {
      await store.close()
      rmSync(folder, { recursive: true })
    },
  }
}
