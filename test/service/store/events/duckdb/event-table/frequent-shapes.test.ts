import { expect, it } from 'vitest'
import { readFrequentShapes } from '../../../../../../src/service/store/events/duckdb/event-table/frequent-shapes.ts'
import { openInstance } from '../../../../../../src/service/store/events/duckdb/open-instance.ts'

it('returns the most frequent shapes of the whole table first, up to 16', async () => {
  const instance = await openInstance(':memory:', { memoryMb: 128, spillMb: 0, threads: 1 })
  const connection = await instance.connect()
  try {
    await connection.run('CREATE SCHEMA internal')
    await connection.run('CREATE TABLE internal.events (shape VARCHAR)')
    expect(await readFrequentShapes(connection)).toEqual([])
    // The older half has another frequent shape than the newer one, and each row of the rest its own.
    await connection.run(
      `INSERT INTO internal.events SELECT CASE WHEN i % 10 = 0 THEN '{' || i || '}' WHEN i % 10 = 1 THEN ''
        WHEN i < 120000 THEN '{0},{8}' ELSE '{11}' END FROM range(200000) t(i)`,
    )
    const shapes = await readFrequentShapes(connection)
    expect(shapes.slice(0, 2)).toEqual(['{0},{8}', '{11}'])
    expect(shapes).toHaveLength(16)
    expect(shapes).not.toContain('')
  } finally {
    connection.closeSync()
    instance.closeSync()
  }
})
