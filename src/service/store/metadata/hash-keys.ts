import type { Metadata } from './open.ts'
import { listDistinctIdsOfSamePerson } from './persons.ts'

/** Maximum number of distinct ids that are looked up: enough for the devices and accounts of one user. */
const MAX_CHECKED_DISTINCT_IDS = 50

/**
 * The id by which flags are hashed for the person of a distinct id, or undefined. It may be stored under any distinct id of
 * the person; the oldest wins. Of a person with more than 50 distinct ids, only `distinctId` and some others are checked.
 */
export const loadHashKey = async (
  metadata: Metadata,
  projectId: number,
  distinctId: string,
): Promise<string | undefined> => {
  // Read separately, because a subquery would make the database scan the whole table.
  const personDistinctIds = await listDistinctIdsOfSamePerson(metadata, projectId, distinctId, MAX_CHECKED_DISTINCT_IDS)
  const row = await metadata
    .selectFrom('hash_keys')
    .select('hash_key')
    .where('project_id', '=', projectId)
    .where('distinct_id', 'in', [...new Set([distinctId, ...personDistinctIds])])
    .orderBy('created_at')
    .orderBy('distinct_id')
    .limit(1)
    .executeTakeFirst()
  return row?.hash_key
}

/** Stores the id by which flags are hashed for a distinct id. An already stored id stays. */
export const saveHashKey = async (
  metadata: Metadata,
  projectId: number,
  { distinctId, hashKey }: { readonly distinctId: string; readonly hashKey: string },
  now: number,
): Promise<void> => {
  await metadata
    .insertInto('hash_keys')
    .values({ project_id: projectId, distinct_id: distinctId, hash_key: hashKey, created_at: now })
    .onConflict((conflict) => conflict.columns(['project_id', 'distinct_id']).doNothing())
    .execute()
}
