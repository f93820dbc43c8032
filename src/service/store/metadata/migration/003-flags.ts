import type { Kysely } from 'kysely'

export const up = async (db: Kysely<unknown>): Promise<void> => {
  await db.schema
    .createTable('flags')
    .addColumn('id', 'integer', (column) => column.primaryKey().autoIncrement())
    .addColumn('project_id', 'integer', (column) => column.notNull().references('projects.id').onDelete('cascade'))
    .addColumn('key', 'text', (column) => column.notNull())
    .addColumn('definition', 'text', (column) => column.notNull())
    .addColumn('version', 'integer', (column) => column.notNull())
    .addColumn('updated_at', 'bigint', (column) => column.notNull())
    .addUniqueConstraint('flags_key', ['project_id', 'key'])
    .execute()

  await db.schema
    .createTable('flag_settings')
    .addColumn('project_id', 'integer', (column) => column.primaryKey().references('projects.id').onDelete('cascade'))
    .addColumn('revision', 'integer', (column) => column.notNull())
    .addColumn('group_types', 'text', (column) => column.notNull())
    .addColumn('is_paused', 'integer', (column) => column.notNull())
    .execute()
}
