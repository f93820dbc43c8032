import { sql } from 'kysely'
import type { Kysely } from 'kysely'

/**
 * Keeps the positions of each node's inbox. The tables are built again, because SQLite cannot change a primary key. What existed before
 * belongs to the node without an id, which is the only one of a SQLite file.
 */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  await db.schema.alterTable('person_positions').renameTo('person_positions_before').execute()
  await db.schema
    .createTable('person_positions')
    .addColumn('node_id', 'text', (column) => column.notNull())
    .addColumn('project_id', 'integer', (column) => column.notNull().references('projects.id').onDelete('cascade'))
    .addColumn('inbox_row', 'bigint', (column) => column.notNull())
    .addColumn('events', 'bigint')
    .addColumn('revision', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('person_positions_key', ['project_id', 'node_id'])
    .execute()
  await sql`insert into person_positions (node_id, project_id, inbox_row, events, revision)
    select '', project_id, inbox_row, events, revision from person_positions_before`.execute(db)
  await db.schema.dropTable('person_positions_before').execute()

  await db.schema.alterTable('inbox_mark').renameTo('inbox_mark_before').execute()
  await db.schema
    .createTable('inbox_mark')
    .addColumn('node_id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('highest_row', 'bigint', (column) => column.notNull())
    .execute()
  await sql`insert into inbox_mark (node_id, highest_row) select '', highest_row from inbox_mark_before`.execute(db)
  await db.schema.dropTable('inbox_mark_before').execute()
}
