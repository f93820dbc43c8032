import { sql } from 'kysely'
import type { Kysely } from 'kysely'

export const up = async (db: Kysely<unknown>): Promise<void> => {
  await db.schema
    .alterTable('flags')
    .addColumn('created_at', 'bigint', (column) => column.notNull().defaultTo(0))
    .execute()
  await db.schema
    .alterTable('flags')
    .addColumn('is_deleted', 'integer', (column) => column.notNull().defaultTo(0))
    .execute()
  await sql`update flags set created_at = updated_at`.execute(db)
  // Parsed here and not in SQL, because databases differ in their JSON functions.
  const flags = db as Kysely<{ flags: { id: number; definition: string; is_deleted: number } }>
  for (const { id, definition } of await flags.selectFrom('flags').select(['id', 'definition']).execute()) {
    if (!JSON.parse(definition).deleted) continue
    await flags.updateTable('flags').set({ is_deleted: 1 }).where('id', '=', id).execute()
  }

  await db.schema.alterTable('flag_settings').addColumn('property_matching_version', 'integer').execute()
  await db.schema
    .alterTable('flag_settings')
    .addColumn('minimal_flag_called_events', 'integer', (column) => column.notNull().defaultTo(0))
    .execute()
  await db.schema
    .alterTable('flag_settings')
    .addColumn('last_cohort_id', 'integer', (column) => column.notNull().defaultTo(0))
    .execute()

  await db.schema
    .createTable('cohorts')
    .addColumn('project_id', 'integer', (column) => column.notNull().references('projects.id').onDelete('cascade'))
    .addColumn('id', 'integer', (column) => column.notNull())
    .addColumn('definition', 'text', (column) => column.notNull())
    .addColumn('is_deleted', 'integer', (column) => column.notNull())
    .addColumn('version', 'integer', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('updated_at', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('cohorts_key', ['project_id', 'id'])
    .execute()

  await db.schema
    .createTable('early_access_features')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('project_id', 'integer', (column) => column.notNull().references('projects.id').onDelete('cascade'))
    .addColumn('flag_id', 'integer', (column) => column.notNull().unique().references('flags.id').onDelete('cascade'))
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('description', 'text', (column) => column.notNull())
    .addColumn('stage', 'text', (column) => column.notNull())
    .addColumn('documentation_url', 'text', (column) => column.notNull())
    .addColumn('payload', 'text', (column) => column.notNull())
    .addColumn('sets_enrolment', 'integer', (column) => column.notNull())
    .addColumn('version', 'integer', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .execute()
  await db.schema
    .createIndex('early_access_features_project')
    .on('early_access_features')
    .columns(['project_id', 'created_at'])
    .execute()
}
