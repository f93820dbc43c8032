import type { Kysely } from 'kysely'

export const up = async (db: Kysely<unknown>): Promise<void> => {
  await db.schema
    .createTable('exports')
    .addColumn('id', 'integer', (column) => column.primaryKey().autoIncrement())
    .addColumn('project_id', 'integer', (column) => column.notNull().references('projects.id').onDelete('cascade'))
    .addColumn('dashboard_id', 'integer', (column) => column.references('dashboards.id').onDelete('cascade'))
    .addColumn('insight_id', 'integer', (column) => column.references('insights.id').onDelete('cascade'))
    .addColumn('format', 'text', (column) => column.notNull())
    .addColumn('context', 'text', (column) => column.notNull())
    .addColumn('filename', 'text', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('attempts', 'integer', (column) => column.notNull())
    .addColumn('error', 'text')
    .addColumn('content_bytes', 'bigint')
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('created_by', 'integer', (column) => column.references('users.id').onDelete('set null'))
    .addColumn('expires_at', 'bigint', (column) => column.notNull())
    .execute()
  await db.schema.createIndex('exports_project').on('exports').columns(['project_id', 'id']).execute()
  await db.schema.createIndex('exports_state').on('exports').columns(['state', 'id']).execute()
  await db.schema.createIndex('exports_expiry').on('exports').column('expires_at').execute()
}
