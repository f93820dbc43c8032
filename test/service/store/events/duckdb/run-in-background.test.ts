import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openInstance } from '../../../../../src/service/store/events/duckdb/open-instance.ts'
import { runInBackground } from '../../../../../src/service/store/events/duckdb/run-in-background.ts'

const folder = mkdtempSync(join(tmpdir(), 'waymark-background-'))
let instance: Awaited<ReturnType<typeof openInstance>>
let connection: Awaited<ReturnType<typeof instance.connect>>

const open = async (threads: number): Promise<void> => {
  instance = await openInstance(join(folder, 'events.duckdb'), { memoryMb: 256, spillMb: 16, threads })
  connection = await instance.connect()
}

beforeEach(() => open(2))
afterEach(() => {
  connection.closeSync()
  instance.closeSync()
  rmSync(folder, { recursive: true, force: true })
})

const commitRows = async (limitMs: () => number): Promise<unknown> => {
  await connection.run('CREATE TABLE IF NOT EXISTS t (n INTEGER)')
  await connection.run('BEGIN TRANSACTION')
  await connection.run('INSERT INTO t FROM range(1000)')
  await runInBackground(connection, 'COMMIT', limitMs)
  const reader = await connection.runAndReadAll('SELECT count(*) FROM t')
  return reader.getRows()[0]?.[0]
}

test('runs a statement in a thread of DuckDB', async () => {
  expect(await commitRows(() => Infinity)).toBe(1000n)
})

test('runs it without such a thread, and after the longest wait for one', async () => {
  connection.closeSync()
  instance.closeSync()
  await open(1)
  expect(await commitRows(() => 0)).toBe(1000n)
  let polls = 0
  // There is no thread to wait for.
  const countPolls = (): number => {
    polls++
    return 5
  }
  expect(await commitRows(countPolls)).toBe(2000n)
  // At least once before a pause, and once after it.
  expect(polls).toBeGreaterThan(1)
})

/** It has passed when it is looked at. */
const SHORTEST_LIMIT_MS = Number.MIN_VALUE

test.each([Infinity, SHORTEST_LIMIT_MS, 0])('gives the error of the statement (waits: %s ms)', async (limitMs) => {
  const sql = "SELECT CASE WHEN n > 500 THEN error('too large') END FROM range(1000) AS r(n)"
  const messageOf = (result: Promise<unknown>): Promise<string | null> =>
    result.then(
      () => null,
      (error: Error) => error.message,
    )
  const fromRun = await messageOf(connection.run(sql))
  const fromBackground = await messageOf(runInBackground(connection, sql, () => limitMs))
  expect(fromRun).toContain('too large')
  expect(fromBackground).toBe(fromRun)
})
