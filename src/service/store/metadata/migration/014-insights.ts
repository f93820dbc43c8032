import type { CreateTableBuilder, Kysely } from 'kysely'

const addAuthorship = <Table extends string>(table: CreateTableBuilder<Table>) =>
  table
    .addColumn('version', 'integer', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('created_by', 'integer', (column) => column.references('users.id').onDelete('set null'))
    .addColumn('last_modified_at', 'bigint', (column) => column.notNull())
    .addColumn('last_modified_by', 'integer', (column) => column.references('users.id').onDelete('set null'))

export const up = async (db: Kysely<unknown>): Promise<void> => {
  await addAuthorship(
    db.schema
      .createTable('insights')
      .addColumn('id', 'integer', (column) => column.primaryKey().autoIncrement())
      .addColumn('project_id', 'integer', (column) => column.notNull().references('projects.id').onDelete('cascade'))
      .addColumn('short_id', 'text', (column) => column.notNull().unique())
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('derived_name', 'text')
      .addColumn('description', 'text', (column) => column.notNull())
      .addColumn('query', 'text')
      .addColumn('sort_order', 'integer')
      .addColumn('tags', 'text', (column) => column.notNull())
      .addColumn('favorited', 'integer', (column) => column.notNull())
      .addColumn('deleted', 'integer', (column) => column.notNull()),
  ).execute()
  await db.schema.createIndex('insights_project').on('insights').columns(['project_id', 'last_modified_at']).execute()
  await addAuthorship(
    db.schema
      .createTable('dashboards')
      .addColumn('id', 'integer', (column) => column.primaryKey().autoIncrement())
      .addColumn('project_id', 'integer', (column) => column.notNull().references('projects.id').onDelete('cascade'))
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('description', 'text', (column) => column.notNull())
      .addColumn('pinned', 'integer', (column) => column.notNull())
      .addColumn('tags', 'text', (column) => column.notNull())
      .addColumn('filters', 'text', (column) => column.notNull())
      .addColumn('creation_mode', 'text', (column) => column.notNull())
      .addColumn('deleted', 'integer', (column) => column.notNull())
      .addColumn('last_viewed_at', 'bigint'),
  ).execute()
  await db.schema.createIndex('dashboards_project').on('dashboards').columns(['project_id', 'name']).execute()
  await db.schema
    .createTable('dashboard_tiles')
    .addColumn('id', 'integer', (column) => column.primaryKey().autoIncrement())
    .addColumn('dashboard_id', 'integer', (column) => column.notNull().references('dashboards.id').onDelete('cascade'))
    .addColumn('insight_id', 'integer', (column) => column.references('insights.id').onDelete('cascade'))
    .addColumn('text', 'text')
    .addColumn('layouts', 'text', (column) => column.notNull())
    .addColumn('color', 'text')
    .addColumn('sort_order', 'integer', (column) => column.notNull())
    .addColumn('deleted', 'integer', (column) => column.notNull())
    .execute()
  await db.schema.createIndex('dashboard_tiles_dashboard').on('dashboard_tiles').column('dashboard_id').execute()
  await db.schema.createIndex('dashboard_tiles_insight').on('dashboard_tiles').column('insight_id').execute()
}
