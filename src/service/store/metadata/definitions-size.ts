import type { Metadata } from './open.ts'

/** How long all flags and cohorts of a project are together, deleted ones too, in characters of JSON. */
export const definitionsSize = async (metadata: Metadata, projectId: number): Promise<number> => {
  let size = 0
  for (const table of ['flags', 'cohorts'] as const) {
    const { sum } = await metadata
      .selectFrom(table)
      .where('project_id', '=', projectId)
      .select((row) => row.fn.sum(row.fn<number>('length', ['definition'])).as('sum'))
      .executeTakeFirstOrThrow()
    // Null without rows; a text where numbers may be larger than JavaScript's.
    size += Number(sum ?? 0)
  }
  return size
}
