import type { Kysely } from 'kysely'

/** Nullable, so that nodes of the version before write persons as they did: the `id` of a person is public where it is null. */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  await db.schema.alterTable('persons').addColumn('public_id', 'text').execute()
  await db.schema
    .createIndex('persons_public_id')
    .on('persons')
    .columns(['project_id', 'public_id'])
    .where('public_id', 'is not', null)
    .execute()
}
