import { sql } from 'kysely'
import type { Kysely } from 'kysely'

/**
 * Notes which node makes the content of an export. Earlier exports go to one node, which makes again the contents that it does not have.
 */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  await db.schema
    .alterTable('exports')
    .addColumn('node_id', 'text', (column) => column.notNull().defaultTo(''))
    .execute()
  await sql`update exports set node_id = (select coalesce(max(node_id), '') from inbox_mark)`.execute(db)
}
