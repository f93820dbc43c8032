import { fork } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { copyFileSync, openSync, readFileSync, truncateSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { checkSqliteFile } from '../../../../src/service/store/sqlite/check-file.ts'
import { openSqlite } from '../../../../src/service/store/sqlite/sqlite.ts'
import { createTempFolder } from '../../support/temp-folder.ts'

const PAGE_BYTES = 4096
const HEADER_BYTES = 32
const FRAME_BYTES = PAGE_BYTES + 24

/** A database as after a crash: with committed transactions in its log and in the index of the log. */
const createCrashedDatabase = (transactions: number) => {
  const folder = createTempFolder()
  const path = join(folder, 'live.sqlite')
  const db = openSqlite(path)
  onTestFinished(() => void db.close())
  db.pragma(`page_size = ${PAGE_BYTES}`)
  db.pragma('journal_mode = WAL')
  db.pragma('wal_autocheckpoint = 0')
  db.exec('CREATE TABLE item (id INTEGER PRIMARY KEY, bytes BLOB)')
  const insert = db.prepare('INSERT INTO item (bytes) VALUES (?)')
  for (let n = 0; n < transactions; n++) insert.run(randomBytes(5000))
  const copy = join(folder, 'crashed.sqlite')
  for (const suffix of ['', '-wal', '-shm']) copyFileSync(`${path}${suffix}`, `${copy}${suffix}`)
  return { copy, log: `${copy}-wal` }
}

test('accepts an intact file while another process writes and restarts the log', async () => {
  const path = join(createTempFolder(), 'busy.sqlite')
  const writer = fork(fileURLToPath(new URL('busy-writer.mjs', import.meta.url)), [path])
  onTestFinished(() => void writer.kill('SIGKILL'))
  await once(writer, 'message')
  // The message between two checks makes sure that the writer was active during each.
  for (let check = 0; check < 100; check++) {
    expect(() => checkSqliteFile(path)).not.toThrow()
    writer.send('more')
    await once(writer, 'message')
  }
})

test('finds a damaged frame in the middle of the log', () => {
  const { copy, log } = createCrashedDatabase(10)
  const bytes = readFileSync(log)
  const validFrames = 7
  const file = openSync(log, 'r+')
  writeSync(file, randomBytes(8), 0, 8, HEADER_BYTES + validFrames * FRAME_BYTES + 100)
  const frames = Math.floor((bytes.length - HEADER_BYTES) / FRAME_BYTES)
  expect(() => checkSqliteFile(copy)).toThrow(`(${log}) is damaged after frame ${validFrames} of ${frames}`)
})

test('reports missing committed frames of the log, but accepts a partial last frame', () => {
  const { copy, log } = createCrashedDatabase(10)
  const bytes = readFileSync(log)
  writeFileSync(log, Buffer.concat([bytes, randomBytes(FRAME_BYTES / 2)]))
  expect(() => checkSqliteFile(copy)).not.toThrow()
  const truncated = createCrashedDatabase(10)
  writeFileSync(truncated.log, readFileSync(truncated.log).subarray(0, -FRAME_BYTES))
  expect(() => checkSqliteFile(truncated.copy)).toThrow('is damaged after frame')
})

test('finds a damaged header of the log', () => {
  const { copy, log } = createCrashedDatabase(2)
  const file = openSync(log, 'r+')
  writeSync(file, randomBytes(8), 0, 8, 8)
  expect(() => checkSqliteFile(copy)).toThrow(`the header of its write-ahead log (${log}) is damaged`)
})

test('checks a log of more than 2 GiB', () => {
  const { copy, log } = createCrashedDatabase(10)
  // Node cannot read a file of 2 GiB at once. The zeros stand for old frames; the file is sparse and takes no disk space.
  truncateSync(log, 2 ** 31 + 2 ** 20)
  expect(() => checkSqliteFile(copy)).not.toThrow()
}, 60_000)
