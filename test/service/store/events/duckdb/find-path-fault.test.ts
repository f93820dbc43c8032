import { mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { findPathFault } from '../../../../../src/service/store/events/duckdb/find-path-fault.ts'
import { openInstance } from '../../../../../src/service/store/events/duckdb/open-instance.ts'
import { openSqlite } from '../../../../../src/service/store/sqlite/sqlite.ts'
import { createTempFolder } from '../../../support/temp-folder.ts'

/** Commits a row to a file of each library in a folder, opens the files again, and returns the rows. */
const storeAndRead = async (folder: string): Promise<unknown[]> => {
  mkdirSync(folder, { recursive: true })
  const rows: unknown[] = []
  for (const isFirst of [true, false]) {
    const instance = await openInstance(join(folder, '1.duckdb'), { memoryMb: 128, spillMb: 0, threads: 1 })
    const connection = await instance.connect()
    const sqlite = openSqlite(join(folder, 'a.sqlite'))
    sqlite.pragma('journal_mode = WAL')
    try {
      if (isFirst) {
        // Left in the write-ahead log, whose path DuckDB derives.
        await connection.run('PRAGMA disable_checkpoint_on_shutdown')
        await connection.run('CREATE TABLE a AS SELECT 1 AS b')
        sqlite.exec('CREATE TABLE a AS SELECT 1 AS b')
      } else {
        rows.push((await connection.runAndReadAll('SELECT b FROM a')).getRows()[0]?.[0])
        rows.push(sqlite.prepare('SELECT b FROM a').pluck().get())
      }
    } finally {
      connection.closeSync()
      instance.closeSync()
      sqlite.close()
    }
  }
  return rows
}

/** Names with characters that mean something in a URL, a pattern, SQL, a shell or a path. */
const folderNames = fc
  .string({
    unit: fc.oneof(
      fc.constantFrom(...'?#%&=+:;,*[]{}()\'"`\\|<>~$!@ .\n\t-'.split('')),
      fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }),
    ),
    minLength: 1,
    maxLength: 20,
  })
  .filter((name) => !/[/\0]/.test(name) && !['.', '..'].includes(name))

test('accepts a path exactly when the libraries keep their files there', async () => {
  await fc.assert(
    fc.asyncProperty(folderNames, async (name) => {
      const root = createTempFolder()
      const folder = join(root, name, 'events')
      if (findPathFault(folder) === null) {
        expect(await storeAndRead(folder)).toEqual([1, 1])
        expect(readdirSync(root)).toEqual([name])
        expect(readdirSync(folder)).toContain('1.duckdb')
      } else await expect(storeAndRead(folder)).rejects.toThrow('disabled by configuration')
    }),
    {
      numRuns: 40,
      examples: [['data?1'], ['?'], ['a#b'], ['100%25'], ["it's"], [' a'], [':memory:'], ['file:a'], ['*']],
    },
  )
})
