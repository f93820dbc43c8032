import type { Metadata } from './open.ts'

/**
 * Reads the flag revision of each project: a number that grows with each change of the project's flags, so that caches notice
 * the change. A project that never had flags is not in the map; callers take 0 as its revision.
 */
export const readFlagRevisions = async (
  metadata: Metadata,
  projectIds: readonly number[],
): Promise<ReadonlyMap<number, number>> => {
  // Some databases reject an empty list in SQL.
  if (projectIds.length === 0) return new Map()
  const rows = await metadata
    .selectFrom('flag_settings')
    .select(['project_id', 'revision'])
    .where('project_id', 'in', projectIds)
    .execute()
  return new Map(rows.map((row) => [row.project_id, row.revision]))
}
