import { createRequire } from 'node:module'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ROW_GROUP_ROWS } from '../../../../../src/service/store/events/duckdb/attach-file.ts'
import { CATALOG, openInstance } from '../../../../../src/service/store/events/duckdb/open-instance.ts'
import { createTempFolder } from '../../../support/temp-folder.ts'

/** The service's own package: tests cannot import it by name. */
const { DuckDBInstance } = createRequire(new URL('../../../../../src/service/package.json', import.meta.url))(
  '@duckdb/node-api',
) as {
  DuckDBInstance: { create(file: string): Promise<Awaited<ReturnType<typeof openInstance>>> }
}

const LIMITS = { memoryMb: 64, spillMb: 0, threads: 1 }

test('new rows of a file with larger row groups come into groups of their own', async () => {
  const file = join(createTempFolder(), '1.duckdb')
  const earlier = await DuckDBInstance.create(file)
  const writer = await earlier.connect()
  await writer.run('CREATE TABLE numbers AS SELECT n FROM range(50_000) AS numbers(n)')
  writer.closeSync()
  earlier.closeSync()
  for (let [open, rows] = [0, 50_000]; open < 2; open++) {
    const instance = await openInstance(file, LIMITS)
    const connection = await instance.connect()
    for (const count of [1000, ROW_GROUP_ROWS + 1000, 1000]) {
      await connection.run(`INSERT INTO numbers SELECT n FROM range(${rows}, ${rows + count}) AS added(n)`)
      await connection.run('CHECKPOINT')
      rows += count
    }
    const groups = await connection.runAndReadAll(
      `SELECT max(count)::INTEGER FROM pragma_storage_info('numbers') WHERE segment_type = 'BIGINT' GROUP BY row_group_id ORDER BY row_group_id`,
    )
    const [first, ...others] = groups.getRows().map(([count]) => Number(count))
    expect(first).toBe(50_000)
    expect(Math.max(...others)).toBe(ROW_GROUP_ROWS)
    const numbers = await connection.runAndReadAll('SELECT count(*)::INTEGER, count(DISTINCT n)::INTEGER FROM numbers')
    expect(numbers.getRows()).toEqual([[rows, rows]])
    connection.closeSync()
    instance.closeSync()
  }
})

test('a file that is open cannot be opened a second time, and can after it was closed', async () => {
  const file = join(createTempFolder(), '1.duckdb')
  const instance = await openInstance(file, LIMITS)
  const connection = await instance.connect()
  await connection.run('CREATE TABLE one AS SELECT 1 AS n')
  await expect(openInstance(file, LIMITS)).rejects.toThrow(/configuration has been locked|already (exists|attached)/)
  connection.closeSync()
  instance.closeSync()
  const again = await openInstance(file, LIMITS)
  const reader = await again.connect()
  expect((await reader.runAndReadAll(`SELECT n FROM ${CATALOG}.one`)).getRows()).toEqual([[1]])
  reader.closeSync()
  again.closeSync()
})
