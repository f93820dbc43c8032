import type { Metadata } from './open.ts'

/** The flag revisions of projects. A project that never had flags is missing; its revision is 0. */
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
