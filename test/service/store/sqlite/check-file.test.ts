import { fork } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { copyFileSync, openSync, readFileSync, truncateSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { checkSqliteFile } from '../../../../src/service/store/sqlite/check-file.ts'
import { openSqlite } from '../../support/sqlite.ts'
import { tempFolder } from '../../support/temp-folder.ts'

const PAGE_BYTES = 4096
const FRAME_BYTES = PAGE_BYTES + 24

/** A file as a crash leaves it: with transactions in its log, of which the index of the log knows. */
const crashed = (transactions: number) => {
  const folder = tempFolder()
  const path = join(folder, 'live.sqlite')
  const db = openSqlite(path)
  onTestFinished(() => void db.close())
  db.pragma(`page_size = ${PAGE_BYTES}`)
  db.pragma('journal_mode = WAL')
  db.pragma('wal_autocheckpoint = 0')
  db.exec('CREATE TABLE one (id INTEGER PRIMARY KEY, bytes BLOB)')
  const insert = db.prepare('INSERT INTO one (bytes) VALUES (?)')
  for (let n = 0; n < transactions; n++) insert.run(randomBytes(5000))
  const copy = join(folder, 'crashed.sqlite')
  for (const end of ['', '-wal', '-shm']) copyFileSync(`${path}${end}`, `${copy}${end}`)
  return { copy, log: `${copy}-wal` }
}

test('takes a whole file for whole while another process commits to it and begins its log anew', async () => {
  const path = join(tempFolder(), 'busy.sqlite')
  const writer = fork(fileURLToPath(new URL('busy-writer.mjs', import.meta.url)), [path])
  onTestFinished(() => void writer.kill('SIGKILL'))
  await once(writer, 'message')
  // What the writer has done is asked for between the checks, so that it has done something during each.
  for (let check = 0; check < 100; check++) {
    expect(() => checkSqliteFile(path)).not.toThrow()
    writer.send('more')
    await once(writer, 'message')
  }
})

test('finds a damaged frame of the log, whatever stands behind it', () => {
  const { copy, log } = crashed(10)
  const bytes = readFileSync(log)
  const frame = 7
  const file = openSync(log, 'r+')
  writeSync(file, randomBytes(8), 0, 8, 32 + frame * FRAME_BYTES + 100)
  const frames = Math.floor((bytes.length - 32) / FRAME_BYTES)
  expect(() => checkSqliteFile(copy)).toThrow(`(${log}) is damaged after frame ${frame} of ${frames}`)
})

test('finds the log cut off before what was acknowledged, and not before', () => {
  const { copy, log } = crashed(10)
  const bytes = readFileSync(log)
  writeFileSync(log, Buffer.concat([bytes, randomBytes(FRAME_BYTES / 2)]))
  expect(() => checkSqliteFile(copy)).not.toThrow()
  const cut = crashed(10)
  writeFileSync(cut.log, readFileSync(cut.log).subarray(0, -FRAME_BYTES))
  expect(() => checkSqliteFile(cut.copy)).toThrow('is damaged after frame')
})

test('finds a damaged head of the log', () => {
  const { copy, log } = crashed(2)
  const file = openSync(log, 'r+')
  writeSync(file, randomBytes(8), 0, 8, 8)
  expect(() => checkSqliteFile(copy)).toThrow(`the head of its write-ahead log (${log}) is damaged`)
})

test('reads a log that is larger than any buffer, a piece at a time', () => {
  const { copy, log } = crashed(10)
  // What an earlier, longer use of the log left, as a hole that takes no room.
  truncateSync(log, 2 ** 31 + 2 ** 20)
  expect(() => checkSqliteFile(copy)).not.toThrow()
}, 60_000)
