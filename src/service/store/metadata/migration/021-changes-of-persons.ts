import type { Kysely } from 'kysely'

/**
 * Adds tables for properties that were changed beside large ones (`properties` of persons and groups, which is then their base). Until all
 * nodes are upgraded, those of the version before read the base alone, and what they change is hidden by an earlier change beside it.
 */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  for (const table of ['persons', 'groups'])
    await db.schema.alterTable(table).addColumn('has_changes', 'integer').execute()
  await db.schema
    .createTable('person_changes')
    .addColumn('project_id', 'integer', (column) => column.notNull())
    .addColumn('person_id', 'text', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('value', 'text')
    .addPrimaryKeyConstraint('person_changes_key', ['project_id', 'person_id', 'name'])
    .addForeignKeyConstraint(
      'person_changes_person',
      ['project_id', 'person_id'],
      'persons',
      ['project_id', 'id'],
      (constraint) => constraint.onDelete('cascade'),
    )
    .execute()
  await db.schema
    .createTable('group_changes')
    .addColumn('project_id', 'integer', (column) => column.notNull())
    .addColumn('group_type', 'text', (column) => column.notNull())
    .addColumn('group_key', 'text', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('value', 'text')
    .addPrimaryKeyConstraint('group_changes_key', ['project_id', 'group_type', 'group_key', 'name'])
    .addForeignKeyConstraint(
      'group_changes_group',
      ['project_id', 'group_type', 'group_key'],
      'groups',
      ['project_id', 'group_type', 'group_key'],
      (constraint) => constraint.onDelete('cascade'),
    )
    .execute()
}
