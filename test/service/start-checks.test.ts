import { writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { openDataFolder, StartError } from '../../src/service/data-folder.ts'
import { awaitingFile, checkData, salvagedPath, usingFile } from '../../src/service/start-checks.ts'
import { openSqlite, sqliteError } from './support/sqlite.ts'
import { tempFolder } from './support/temp-folder.ts'

const openFolder = () => openDataFolder(tempFolder())

test('finds nothing wrong with a new folder, or with whole files', () => {
  const folder = openFolder()
  expect(() => checkData(folder)).not.toThrow()
  for (const path of [folder.inbox, folder.metadata]) openSqlite(path).exec('CREATE TABLE kept (id)').close()
  expect(() => checkData(folder)).not.toThrow()
})

test('goes on with no file that a salvage has not yet put in its place', () => {
  const folder = openFolder()
  writeFileSync(salvagedPath(folder.inbox), '')
  expect(() => checkData(folder)).toThrow(StartError)
  expect(() => checkData(folder)).toThrow(`A salvage of ${folder.inbox} was interrupted. Run "waymark-service salvage`)
})

test.each([
  ['SQLITE_CORRUPT', 'is damaged', 'do not delete it. Run "waymark-service salvage', 'Restore your backup of it'],
  ['SQLITE_FULL', 'has no room on its disk', 'Make room', 'Make room'],
  ['SQLITE_READONLY_DIRECTORY', 'cannot be written', 'mounted read-only', 'mounted read-only'],
  ['SQLITE_BUSY', 'is held by another process', 'end it', 'end it'],
  ['SQLITE_IOERR_READ', 'cannot be used', 'See to the disk', 'See to the disk'],
])('says for %s what is wrong with which file, and the way out', async (code, what, ofInbox, ofMetadata) => {
  const folder = openFolder()
  const error = sqliteError(code)
  const fail = () => {
    throw new Error('The step failed.', { cause: error })
  }
  for (const [file, wayOut] of [
    ['inbox', ofInbox],
    ['metadata', ofMetadata],
  ] as const) {
    const said = `The ${file} ${folder[file]} ${what}: as SQLite says it. `
    expect(() => usingFile(folder, file, fail)).toThrow(said)
    expect(() => usingFile(folder, file, fail)).toThrow(wayOut)
    await expect(awaitingFile(folder, file, async () => fail())).rejects.toThrow(said)
  }
})

test('leaves an error that no file tells of as it is', () => {
  const error = new TypeError('a mistake')
  const fail = () => {
    throw error
  }
  expect(() => usingFile(openFolder(), 'inbox', fail)).toThrow(error)
})
