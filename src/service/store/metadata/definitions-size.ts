import type { Metadata } from './open.ts'

/** The total length of all flags and cohorts of a project, including deleted ones, in characters of JSON. */
export const readDefinitionsSize = async (metadata: Metadata, projectId: number): Promise<number> => {
  let size = 0
  for (const table of ['flags', 'cohorts'] as const) {
    const { sum } = await metadata
      .selectFrom(table)
      .where('project_id', '=', projectId)
      .select((row) => row.fn.sum(row.fn<number>('length', ['definition'])).as('sum'))
      .executeTakeFirstOrThrow()
    // The sum is null without rows, and a string in databases whose integers are larger than JavaScript's.
    size += Number(sum ?? 0)
  }
  return size
}
