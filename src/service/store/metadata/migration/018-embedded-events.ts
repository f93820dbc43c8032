import type { Kysely } from 'kysely'

/** Notes which nodes keep their events in the data folder: all, before there was another place. */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  await db.schema
    .alterTable('inbox_mark')
    .addColumn('embeds_events', 'integer', (column) => column.notNull().defaultTo(1))
    .execute()
}
