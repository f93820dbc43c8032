import type { Kysely } from 'kysely'

export const up = async (db: Kysely<unknown>): Promise<void> => {
  // 0, like the revision in event stores of earlier releases.
  await db.schema
    .alterTable('person_positions')
    .addColumn('revision', 'bigint', (column) => column.notNull().defaultTo(0))
    .execute()
}
