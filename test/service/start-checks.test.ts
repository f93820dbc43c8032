import { writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { openDataFolder, StartError } from '../../src/service/data-folder.ts'
import {
  withStartErrorsAsync,
  checkDataFiles,
  salvagedFilePath,
  withStartErrors,
} from '../../src/service/start-checks.ts'
import { openSqlite } from '../../src/service/store/sqlite/sqlite.ts'
import { createSqliteError } from './support/sqlite.ts'
import { createTempFolder } from './support/temp-folder.ts'

const openFolder = () => openDataFolder(createTempFolder())

test('accepts a new data folder, and one with intact files', () => {
  const folder = openFolder()
  expect(() => checkDataFiles(folder)).not.toThrow()
  for (const path of [folder.inbox, folder.metadata]) openSqlite(path).exec('CREATE TABLE kept (id)').close()
  expect(() => checkDataFiles(folder)).not.toThrow()
})

test('rejects a folder with an unfinished salvage', () => {
  const folder = openFolder()
  writeFileSync(salvagedFilePath(folder.inbox), '')
  expect(() => checkDataFiles(folder)).toThrow(StartError)
  expect(() => checkDataFiles(folder)).toThrow(
    `A salvage of ${folder.inbox} was interrupted. Run "waymark-service salvage`,
  )
})

test.each([
  ['SQLITE_CORRUPT', 'is damaged', 'do not delete it. Run "waymark-service salvage', 'Restore your backup of it'],
  ['SQLITE_FULL', 'is on a full disk', 'Free disk space', 'Free disk space'],
  ['SQLITE_READONLY_DIRECTORY', 'cannot be written', 'write permission', 'write permission'],
  ['SQLITE_BUSY', 'is locked by another process', 'end it', 'end it'],
  ['SQLITE_IOERR_READ', 'cannot be read or written', 'Check the disk', 'Check the disk'],
])('reports the file, the fault and the remedy for the error %s', async (code, fault, inboxRemedy, metadataRemedy) => {
  const folder = openFolder()
  const error = createSqliteError(code)
  const fail = () => {
    throw new Error('The step failed.', { cause: error })
  }
  for (const [file, remedy] of [
    ['inbox', inboxRemedy],
    ['metadata', metadataRemedy],
  ] as const) {
    const message = `The ${file} ${folder[file]} ${fault}: simulated SQLite error. `
    expect(() => withStartErrors(folder, file, fail)).toThrow(message)
    expect(() => withStartErrors(folder, file, fail)).toThrow(remedy)
    await expect(withStartErrorsAsync(folder, file, async () => fail())).rejects.toThrow(message)
  }
})

test('rethrows an error that is not about a file', () => {
  const error = new TypeError('a mistake')
  const fail = () => {
    throw error
  }
  expect(() => withStartErrors(openFolder(), 'inbox', fail)).toThrow(error)
})
