import type { Kysely } from 'kysely'

/** Adds the inbox watermark (`inbox-watermark.ts`). */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  await db.schema
    .createTable('inbox_mark')
    .addColumn('id', 'integer', (column) => column.primaryKey())
    .addColumn('highest_row', 'bigint', (column) => column.notNull())
    .execute()
}
