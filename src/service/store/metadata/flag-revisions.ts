import type { Metadata } from './open.ts'

/** The revisions of the flags of these projects. One that never had flags is not in the answer; its revision is 0. */
export const readFlagRevisions = async (
  metadata: Metadata,
  projectIds: readonly number[],
): Promise<ReadonlyMap<number, number>> => {
  // A list of none is no SQL in every database.
  if (projectIds.length === 0) return new Map()
  const rows = await metadata
    .selectFrom('flag_settings')
    .select(['project_id', 'revision'])
    .where('project_id', 'in', projectIds)
    .execute()
  return new Map(rows.map((row) => [row.project_id, row.revision]))
}
