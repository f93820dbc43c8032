import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createTempFolder } from '../../../../support/temp-folder.ts'
import { CATALOG, openInstance } from '../../../../../../src/service/store/events/duckdb/open-instance.ts'
import {
  checkEventCount,
  countCopiedRows,
} from '../../../../../../src/service/store/events/duckdb/upgrade/file-pair.ts'

const [FIRST, SECOND, OTHER] = [1, 2, 3].map((n) => `019a0000-0000-7000-8000-00000000000${n}`)

/** Calls `work` with a file and its copy, which have events with these uuids. */
const withFiles = async (
  original: readonly unknown[],
  copied: readonly unknown[],
  work: (files: Parameters<typeof checkEventCount>[0]) => Promise<void>,
): Promise<void> => {
  const folder = createTempFolder()
  const instances = await Promise.all(
    ['old', 'new'].map((name) =>
      openInstance(join(folder, `${name}.duckdb`), { memoryMb: 64, spillMb: 0, threads: 1 }),
    ),
  )
  const [reader, writer] = await Promise.all(instances.map((instance) => instance.connect()))
  try {
    for (const [connection, uuids] of [
      [reader!, original],
      [writer!, copied],
    ] as const) {
      await connection.run('CREATE SCHEMA internal; CREATE TABLE internal.events (uuid UUID)')
      for (const uuid of uuids) await connection.run(`INSERT INTO internal.events VALUES ('${String(uuid)}')`)
    }
    await work({ reader: reader!, writer: writer!, old: CATALOG })
  } finally {
    for (const connection of [reader!, writer!]) connection.closeSync()
    for (const instance of instances) instance.closeSync()
  }
}

test('a copy with fewer or more events than the file does not replace it', async () => {
  await withFiles([FIRST, SECOND], [FIRST, SECOND], (files) => checkEventCount(files, 'internal.events'))
  for (const copied of [[FIRST], [FIRST, SECOND, OTHER]])
    await withFiles([FIRST, SECOND], copied, (files) =>
      expect(checkEventCount(files, 'internal.events')).rejects.toThrow(
        `The copy has ${copied.length} events, but the file has 2. The file is not replaced.`,
      ),
    )
})

test('a copy continues only if its last event is in the same row of the file', async () => {
  const count = async (copied: readonly unknown[]): Promise<number | string> => {
    let result: number | string = ''
    await withFiles([FIRST, SECOND], copied, async (files) => {
      result = await countCopiedRows(files, 'internal.events').catch((error: Error) => error.name)
    })
    return result
  }
  expect([await count([]), await count([FIRST]), await count([FIRST, SECOND])]).toEqual([0, 1, 2])
  expect([await count([OTHER]), await count([FIRST, SECOND, OTHER])]).toEqual(['ForeignCopyError', 'ForeignCopyError'])
})
