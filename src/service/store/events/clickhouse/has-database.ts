import { quoteString } from '../../../sql/quote-clickhouse.ts'
import { connectClickHouse } from './connect.ts'
import type { ClickHouseOptions } from './connect.ts'
import { readRows } from './read-rows.ts'
import { toStoreServerError } from './server-error.ts'

/** Whether a server has the database of a project. Rejects with `StoreServerError`. */
export const hasDatabase = async (options: ClickHouseOptions, projectId: number): Promise<boolean> => {
  const { server, database, place, close } = await connectClickHouse(options, projectId)
  try {
    const query = `SELECT name FROM system.databases WHERE name = ${quoteString(database)}`
    return (await readRows<[string]>(server, query)).length > 0
  } catch (error) {
    throw toStoreServerError(place, error)
  } finally {
    await close()
  }
}
