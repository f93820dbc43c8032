import type { Kysely } from 'kysely'

export const up = async (db: Kysely<unknown>): Promise<void> => {
  await db.schema
    .createTable('persons')
    .addColumn('project_id', 'integer', (column) => column.notNull().references('projects.id').onDelete('cascade'))
    .addColumn('id', 'text', (column) => column.notNull())
    .addColumn('properties', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('is_identified', 'integer', (column) => column.notNull())
    .addPrimaryKeyConstraint('persons_key', ['project_id', 'id'])
    .execute()

  await db.schema
    .createTable('person_distinct_ids')
    .addColumn('project_id', 'integer', (column) => column.notNull().references('projects.id').onDelete('cascade'))
    .addColumn('distinct_id', 'text', (column) => column.notNull())
    .addColumn('person_id', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('person_distinct_ids_key', ['project_id', 'distinct_id'])
    .execute()
  await db.schema
    .createIndex('person_distinct_ids_person')
    .on('person_distinct_ids')
    .columns(['project_id', 'person_id'])
    .execute()

  await db.schema
    .createTable('groups')
    .addColumn('project_id', 'integer', (column) => column.notNull().references('projects.id').onDelete('cascade'))
    .addColumn('group_type', 'text', (column) => column.notNull())
    .addColumn('group_key', 'text', (column) => column.notNull())
    .addColumn('properties', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('groups_key', ['project_id', 'group_type', 'group_key'])
    .execute()

  await db.schema
    .createTable('person_positions')
    .addColumn('project_id', 'integer', (column) => column.primaryKey().references('projects.id').onDelete('cascade'))
    .addColumn('inbox_row', 'bigint', (column) => column.notNull())
    .execute()
}
