import type { Metadata } from './open.ts'
import { inSlices } from './slices.ts'

/** Flag key to the id that is hashed. */
export type HashKeys = ReadonlyMap<string, string>

/** The ids that flags are hashed by for whoever has this distinct id: kept under any distinct id of that person, the oldest wins. */
export async function loadHashKeys(metadata: Metadata, projectId: number, distinctId: string): Promise<HashKeys> {
  const rows = await metadata
    .selectFrom('flag_hash_keys as kept')
    .select(['kept.flag_key', 'kept.hash_key'])
    .where('kept.project_id', '=', projectId)
    .where((row) =>
      row.or([
        row('kept.distinct_id', '=', distinctId),
        row(
          'kept.distinct_id',
          'in',
          row
            .selectFrom('person_distinct_ids as own')
            .innerJoin('person_distinct_ids as other', (join) =>
              join.onRef('other.project_id', '=', 'own.project_id').onRef('other.person_id', '=', 'own.person_id'),
            )
            .select('other.distinct_id')
            .where('own.project_id', '=', projectId)
            .where('own.distinct_id', '=', distinctId),
        ),
      ]),
    )
    .orderBy('kept.created_at', 'desc')
    .orderBy('kept.distinct_id', 'desc')
    .execute()
  return new Map(rows.map((row) => [row.flag_key, row.hash_key]))
}

/** Keeps the id that these flags are hashed by for a distinct id from now on. What is kept already stays. */
export async function saveHashKeys(
  metadata: Metadata,
  projectId: number,
  keys: { readonly distinctId: string; readonly hashKey: string; readonly flagKeys: readonly string[] },
  now: number,
): Promise<void> {
  for (const slice of inSlices(keys.flagKeys)) {
    await metadata
      .insertInto('flag_hash_keys')
      .values(
        slice.map((flagKey) => ({
          project_id: projectId,
          distinct_id: keys.distinctId,
          flag_key: flagKey,
          hash_key: keys.hashKey,
          created_at: now,
        })),
      )
      .onConflict((conflict) => conflict.columns(['project_id', 'distinct_id', 'flag_key']).doNothing())
      .execute()
  }
}
