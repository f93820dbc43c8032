import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openInstance } from '../../../../../src/service/store/events/duckdb/open-instance.ts'
import { BrokenStreamError } from '../../../../../src/service/store/events/duckdb/stream-chunks.ts'
import { streamRows } from '../../../../../src/service/store/events/duckdb/stream-rows.ts'
import { createTempFolder } from '../../../support/temp-folder.ts'

const open = async () => {
  const file = join(createTempFolder(), '1.duckdb')
  const instance = await openInstance(file, { memoryMb: 128, spillMb: 16, threads: 1 })
  const connection = await instance.connect()
  await connection.run('CREATE TABLE numbers AS FROM range(1000000) AS numbers(n)')
  const close = (): void => {
    connection.closeSync()
    instance.closeSync()
  }
  return { connection, close, isClosed: () => !existsSync(`${file}.wal`) }
}

it('reads all rows, and again', async () => {
  const { connection, close } = await open()
  for (let round = 0; round < 2; round++) {
    let count = 0
    for await (const rows of streamRows(connection, 'FROM numbers')) count += rows.length
    expect(count).toBe(1_000_000)
  }
  close()
})

it('throws when not all rows can be read, and then reads again', async () => {
  const { connection, close, isClosed } = await open()
  const readAll = async (sql: string): Promise<number> => {
    let count = 0
    for await (const rows of streamRows(connection, sql)) count += rows.length
    return count
  }
  const sql = "SELECT (CASE n WHEN 900000 THEN 'x' ELSE '1' END)::INTEGER FROM numbers"
  await expect(readAll(sql)).rejects.toThrow(BrokenStreamError)
  expect(await readAll('FROM numbers LIMIT 3')).toBe(3)
  close()
  expect(isClosed()).toBe(true)
})

it('lets the file be closed when the reader stops early', async () => {
  const { connection, close, isClosed } = await open()
  for await (const rows of streamRows(connection, 'FROM numbers')) {
    expect(rows[0]).toEqual([0n])
    break
  }
  expect(isClosed()).toBe(false)
  close()
  expect(isClosed()).toBe(true)
})
