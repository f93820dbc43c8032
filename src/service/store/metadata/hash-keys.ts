import type { Metadata } from './open.ts'
import { distinctIdsBeside } from './persons.ts'

/** Distinct ids of a person that are looked at, at most: a few devices and accounts, whatever somebody has merged. */
const MOST_IDS = 50

/**
 * The id that flags are hashed by for whoever has this distinct id, or undefined: kept under any distinct id of that person,
 * the oldest wins. Of a person with more than 50 distinct ids some are not looked at; the given one always is.
 */
export const loadHashKey = async (
  metadata: Metadata,
  projectId: number,
  distinctId: string,
): Promise<string | undefined> => {
  // Read first: as a part of the statement below they would have the database look through all that is kept.
  const others = await distinctIdsBeside(metadata, projectId, distinctId, MOST_IDS)
  const row = await metadata
    .selectFrom('hash_keys')
    .select('hash_key')
    .where('project_id', '=', projectId)
    .where('distinct_id', 'in', [...new Set([distinctId, ...others])])
    .orderBy('created_at')
    .orderBy('distinct_id')
    .limit(1)
    .executeTakeFirst()
  return row?.hash_key
}

/** Keeps the id that flags are hashed by for a distinct id from now on. One that is kept already stays. */
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
