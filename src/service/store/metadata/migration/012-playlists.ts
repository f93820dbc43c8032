import type { Kysely } from 'kysely'

export const up = async (db: Kysely<unknown>): Promise<void> => {
  await db.schema
    .createTable('playlists')
    .addColumn('id', 'integer', (column) => column.primaryKey().autoIncrement())
    .addColumn('project_id', 'integer', (column) => column.notNull().references('projects.id').onDelete('cascade'))
    .addColumn('short_id', 'text', (column) => column.notNull().unique())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('derived_name', 'text')
    .addColumn('description', 'text', (column) => column.notNull())
    .addColumn('pinned', 'integer', (column) => column.notNull())
    .addColumn('deleted', 'integer', (column) => column.notNull())
    .addColumn('type', 'text', (column) => column.notNull())
    .addColumn('is_type_fixed', 'integer', (column) => column.notNull())
    .addColumn('filters', 'text', (column) => column.notNull())
    .addColumn('version', 'integer', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('created_by', 'integer', (column) => column.references('users.id').onDelete('set null'))
    .addColumn('last_modified_at', 'bigint', (column) => column.notNull())
    .addColumn('last_modified_by', 'integer', (column) => column.references('users.id').onDelete('set null'))
    .execute()
  await db.schema.createIndex('playlists_project').on('playlists').columns(['project_id', 'last_modified_at']).execute()
}
