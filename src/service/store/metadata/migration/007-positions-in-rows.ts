import type { Kysely } from 'kysely'

export const up = async (db: Kysely<unknown>): Promise<void> => {
  // Null: the row is done whole, as all rows were before.
  await db.schema.alterTable('person_positions').addColumn('events', 'bigint').execute()
}
