import { columnName, readPropertyColumns } from '../event-table/property-column.ts'
import { runTransaction } from '../transaction.ts'
import type { EventLayout } from './event-layout.ts'
import { listTables } from './event-layout.ts'
import type { FilePair } from './file-pair.ts'
import { COMMIT_ROWS, countCopiedRows, ForeignCopyError, readRowCount, replaceRows } from './file-pair.ts'

/** Copies a file that has the tables of this version, in another storage version of DuckDB. */
export const copyCurrentFile = async (files: FilePair, { table }: EventLayout): Promise<void> => {
  const { reader, writer, old } = files
  await copyPropertyColumns(files)
  const end = await readRowCount(reader, table)
  for (let first = await countCopiedRows(files, table); first < end; first += COMMIT_ROWS)
    await writer.run(
      `INSERT INTO internal.events BY NAME
        SELECT * FROM ${old}.${table} WHERE rowid >= ${first} AND rowid < ${first + COMMIT_ROWS}`,
    )
  const otherTables = (await listTables(reader)).filter((name) => name.startsWith('internal.') && !COPIED.has(name))
  await runTransaction(writer, async () => {
    for (const name of otherTables) await replaceRows(files, name, name)
  })
}

/** Tables that are copied before the others, and the one that the next open writes. */
const COPIED: ReadonlySet<string> = new Set(['internal.events', 'internal.property_columns', 'internal.schema_version'])

/** A column keeps its number, because the shapes of events have it. */
const copyPropertyColumns = async ({ reader, writer, old }: FilePair): Promise<void> => {
  const columns = await readPropertyColumns(reader)
  const copiedColumns = await readPropertyColumns(writer)
  if (copiedColumns.size > 0) {
    if ([...copiedColumns.keys()].join('\n') === [...columns.keys()].join('\n')) return
    throw new ForeignCopyError('The unfinished copy has other columns than the file. It is made again.')
  }
  await runTransaction(writer, async () => {
    for (const column of columns.values())
      await writer.run(`ALTER TABLE internal.events ADD COLUMN ${columnName(column)} VARCHAR`)
    await writer.run(`INSERT INTO internal.property_columns BY NAME FROM ${old}.internal.property_columns`)
  })
}
