import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import {
  TABLE_KEYS,
  TABLE_NAMES,
  TABLES_WITH_ASSIGNED_IDS,
} from '../../../../../src/service/store/metadata/copy/table-keys.ts'
import { openMetadata } from '../../../../../src/service/store/metadata/open.ts'
import { openSqlite } from '../../../../../src/service/store/sqlite/sqlite.ts'
import { createTempFolder } from '../../../support/temp-folder.ts'

/** Opens a file with all tables. */
const openFile = async () => {
  const path = join(createTempFolder(), 'metadata.sqlite')
  await (await openMetadata(path)).destroy()
  const file = openSqlite(path)
  onTestFinished(() => void file.close())
  return file
}

test('names every table with its primary key', async () => {
  const file = await openFile()
  const names = file.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'")
  const listKeys = file.prepare<[string]>('SELECT name FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk').pluck()
  const tables = (names.pluck().all() as string[]).filter((name) => !/^(sqlite|kysely)_/.test(name))
  expect(Object.fromEntries(tables.map((table) => [table, listKeys.all(table)]))).toEqual(TABLE_KEYS)
})

test('has a table after those that it refers to', async () => {
  const file = await openFile()
  const listParents = file.prepare<[string]>('SELECT "table" FROM pragma_foreign_key_list(?)').pluck()
  for (const [index, table] of TABLE_NAMES.entries())
    for (const parent of listParents.all(table)) expect(TABLE_NAMES.slice(0, index), table).toContain(parent)
})

test('names the tables whose ids are assigned', async () => {
  const file = await openFile()
  const list = file.prepare("SELECT name FROM sqlite_schema WHERE sql LIKE '%autoincrement%' ORDER BY name").pluck()
  expect(list.all()).toEqual(TABLES_WITH_ASSIGNED_IDS.toSorted())
})
