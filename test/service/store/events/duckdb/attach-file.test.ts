import { copyFileSync, existsSync, readdirSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { attachFile } from '../../../../../src/service/store/events/duckdb/attach-file.ts'
import type { EventFile } from '../../../../../src/service/store/events/duckdb/open-instance.ts'
import { openCached, openInstance } from '../../../../../src/service/store/events/duckdb/open-instance.ts'
import { ReplacedFileError } from '../../../../../src/service/store/file/file-guard.ts'
import { createTempFolder } from '../../../support/temp-folder.ts'

type Connection = Awaited<ReturnType<EventFile['connect']>>

const LIMITS = { memoryMb: 64, spillMb: 0, threads: 1 }

let folder: string
let file: string
let away: string
let connection: Connection

beforeEach(async () => {
  folder = createTempFolder()
  file = join(folder, '1.duckdb')
  away = join(folder, 'away.duckdb')
  const stored = await openInstance(file, LIMITS)
  const writer = await stored.connect()
  await writer.run('CREATE TABLE kept AS SELECT 1 AS value')
  writer.closeSync()
  stored.closeSync()
  const instance = await openCached(join(folder, 'shared'), LIMITS)
  connection = await instance.connect()
  instance.closeSync()
})
afterEach(() => connection.closeSync())

/** The connection, before whose ATTACH something happens to the file. */
const before = (happens: () => void): Connection =>
  ({
    run(sql: string) {
      if (sql.startsWith('ATTACH')) happens()
      return connection.run(sql)
    },
  }) as Connection

it('attaches a file, and tells when it loses its name later', async () => {
  const checkFile = await attachFile(connection, file, 'a')
  expect((await connection.runAndReadAll('SELECT value FROM a.kept')).getRows()).toEqual([[1]])
  checkFile()
  renameSync(file, away)
  expect(checkFile).toThrow(ReplacedFileError)
})

it('creates files of small blocks, and attaches those of an earlier version beside them', async () => {
  const earlier = join(folder, 'earlier.duckdb')
  await connection.run(`ATTACH '${earlier}' AS earlier`)
  await connection.run('CREATE TABLE earlier.kept AS SELECT 2 AS value; DETACH earlier')
  await attachFile(connection, file, 'a')
  await attachFile(connection, earlier, 'b')
  const sizes = await connection.runAndReadAll(
    "SELECT block_size::INTEGER FROM pragma_database_size() WHERE database_name IN ('a', 'b') ORDER BY database_name",
  )
  expect(sizes.getRows()).toEqual([[65_536], [262_144]])
  await connection.run('INSERT INTO b.kept FROM a.kept; CHECKPOINT b')
  expect((await connection.runAndReadAll('SELECT sum(value)::INTEGER FROM b.kept')).getRows()).toEqual([[3]])
})

it('leaves no empty file in the place of one that is moved away meanwhile', async () => {
  await expect(
    attachFile(
      before(() => renameSync(file, away)),
      file,
      'a',
    ),
  ).rejects.toThrow(ReplacedFileError)
  expect(readdirSync(folder)).toEqual(['away.duckdb'])
})

it('keeps a backup that takes the place of the file meanwhile, for the next attempt', async () => {
  const replace = (): void => {
    renameSync(file, away)
    copyFileSync(away, file)
  }
  await expect(attachFile(before(replace), file, 'a')).rejects.toThrow(ReplacedFileError)
  await attachFile(connection, file, 'a')
  expect((await connection.runAndReadAll('SELECT value FROM a.kept')).getRows()).toEqual([[1]])
})

it('creates no file that is missing', async () => {
  renameSync(file, away)
  await expect(attachFile(connection, file, 'a')).rejects.toThrow('ENOENT')
  await expect(openInstance(file, { ...LIMITS, mustExist: true })).rejects.toThrow('ENOENT')
  expect(existsSync(file)).toBe(false)
})
