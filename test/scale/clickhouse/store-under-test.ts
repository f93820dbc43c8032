import { afterAll, beforeAll } from 'vitest'
import { openClickHouseStore } from '../../../src/service/store/events/clickhouse/open-store.ts'
import type { StoreUnderTest } from '../../contract/service-event-store.ts'
import type { TestClickHouse } from './start-clickhouse.ts'
import { startClickHouse } from './start-clickhouse.ts'

/**
 * Starts a server for the tests of a file. Returns how to create a store: of a project of its own, in a database of its own.
 *
 * @param cluster See `ClickHouseOptions.cluster`. Default: none.
 */
export const useClickHouse = (
  cluster?: string,
): {
  readonly getServer: () => TestClickHouse
  readonly create: () => StoreUnderTest
} => {
  let server: TestClickHouse
  beforeAll(async () => {
    server = await startClickHouse()
  })
  afterAll(() => server.cleanUp())
  return {
    getServer: () => server,
    create: () => {
      let databasePrefix: string | undefined
      return {
        open: () => {
          databasePrefix ??= server.createPrefix()
          return openClickHouseStore({ server: { ...server.options, databasePrefix, cluster }, projectId: 1 })
        },
        cleanUp: () => undefined,
      }
    },
  }
}
