import { sql } from 'kysely'
import type { Metadata, MetadataSource } from '../open.ts'
import { postgresLastIds, sqliteLastIds } from './last-ids.ts'
import type { LastIds } from './last-ids.ts'
import { readRows } from './read-rows.ts'
import type { Row } from './read-rows.ts'
import { createRowSum } from './row-sum.ts'
import type { RowSum } from './row-sum.ts'
import { TABLE_NAMES, TABLES_WITH_ASSIGNED_IDS } from './table-keys.ts'
import type { TableName } from './table-keys.ts'

/** Open metadata, and what it is in. */
export interface CopyEnd {
  readonly metadata: Metadata
  readonly source: MetadataSource
  /** Id of the only node. */
  readonly nodeId: string
}

/**
 * Copies all metadata in one transaction, in which the rows of the copy are read again and compared. Replaces what the target has. Nobody
 * can change the source meanwhile. Resolves with the number of rows. Throws when the copy differs, and leaves the target as it was.
 */
export const copyMetadata = (from: CopyEnd, to: CopyEnd): Promise<number> =>
  from.metadata.transaction().execute((source) =>
    to.metadata.transaction().execute(async (target) => {
      for (const end of [
        { ...from, metadata: source },
        { ...to, metadata: target },
      ])
        await allowPauses(end)
      for (const table of TABLE_NAMES.toReversed()) await target.deleteFrom(table).execute()
      let rows = 0
      for (const table of TABLE_NAMES) {
        const sum = await copyTable(source, target, table, to.nodeId)
        requireEqual(table, sum, await sumTable(target, table))
        rows += sum.rows
      }
      for (const table of TABLES_WITH_ASSIGNED_IDS)
        await lastIdsOf(to).write(target, table, await lastIdsOf(from).read(source, table))
      return rows
    }),
  )

/** While rows of the one end are read, a transaction of PostgreSQL at the other does nothing for minutes. */
const allowPauses = async ({ metadata, source }: CopyEnd): Promise<void> => {
  if (typeof source !== 'string') await sql`set local idle_in_transaction_session_timeout = 0`.execute(metadata)
}

const lastIdsOf = ({ source }: CopyEnd): LastIds => (typeof source === 'string' ? sqliteLastIds : postgresLastIds)

const copyTable = async (source: Metadata, target: Metadata, table: TableName, nodeId: string): Promise<RowSum> => {
  const sum = createRowSum()
  for await (const rows of readRows(source, table)) {
    const copies = rows.map((row) => withNodeId(row, nodeId))
    for (const row of copies) sum.add(row)
    await target.insertInto(table).values(copies).execute()
  }
  return sum.read()
}

const withNodeId = (row: Row, nodeId: string): Row => ('node_id' in row ? { ...row, node_id: nodeId } : row)

const sumTable = async (metadata: Metadata, table: TableName): Promise<RowSum> => {
  const sum = createRowSum()
  for await (const rows of readRows(metadata, table)) for (const row of rows) sum.add(row)
  return sum.read()
}

const requireEqual = (table: TableName, read: RowSum, written: RowSum): void => {
  if (read.rows !== written.rows || read.hash !== written.hash)
    throw new Error(
      `The copy of the table ${table} differs: ${written.rows} rows instead of ${read.rows}, or other values.`,
    )
}
