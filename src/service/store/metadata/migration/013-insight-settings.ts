import type { Kysely } from 'kysely'

export const up = async (db: Kysely<unknown>): Promise<void> => {
  for (const [column, initial] of [
    ['time_zone', 'UTC'],
    ['week_start', 'sunday'],
    ['test_account_filters', '[]'],
  ] as const)
    await db.schema
      .alterTable('projects')
      .addColumn(column, 'text', (definition) => definition.notNull().defaultTo(initial))
      .execute()
}
