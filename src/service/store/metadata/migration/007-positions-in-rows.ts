import type { Kysely } from 'kysely'

export const up = async (db: Kysely<unknown>): Promise<void> => {
  // Null for a complete row, which all rows were before this migration.
  await db.schema.alterTable('person_positions').addColumn('events', 'bigint').execute()
}
