import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { derivePersonId } from '../../../../../../src/service/persons/person-id.ts'
import type { QueryErrorCode } from '../../../../../../src/service/indexer/query-error.ts'
import { QueryError } from '../../../../../../src/service/indexer/query-error.ts'
import { openDuckDbStore } from '../../../../../../src/service/store/events/duckdb/open-store.ts'
import type { EventStore } from '../../../../../../src/service/store/events/event-store.ts'

/** Opens a new store for all tests of a file, in `beforeAll`. */
export const openQueryStore = async (): Promise<{
  readonly store: EventStore
  readonly close: () => Promise<void>
}> => {
  const folder = mkdtempSync(join(tmpdir(), 'waymark-'))
  const store = await openDuckDbStore({
    file: join(folder, '1.duckdb'),
    deriveOriginId: (distinctId) => derivePersonId(1, distinctId),
    memoryMb: 256,
    spillMb: 16,
    threads: 1,
  })
  return {
    store,
    async close() {
      await store.close()
      rmSync(folder, { recursive: true })
    },
  }
}

/** The error of a query; fails if it has none. */
export const readError = async (
  store: EventStore,
  sql: string,
): Promise<{ readonly code: QueryErrorCode; readonly message: string }> => {
  try {
    await store.query({ sql, timeoutMs: 10_000, maxRows: 100 })
  } catch (error) {
    if (error instanceof QueryError) return { code: error.code, message: error.message }
    throw error
  }
  throw new Error(`There is no error: ${sql}`)
}
