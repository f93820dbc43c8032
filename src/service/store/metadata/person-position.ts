import type { RowPosition } from '../row-position.ts'
import type { Metadata } from './open.ts'
import { positionOf, storedPosition } from '../row-position.ts'

/** How far the persons and groups of a project are. */
export interface PersonProgress {
  /** The position through which they are up to date. */
  readonly position: RowPosition
  /** Counts the transactions that changed them: where a copy has counted more, these are an earlier state (a backup). */
  readonly revision: number
}

/** How far the project's persons and groups are. */
export const personProgress = async (metadata: Metadata, projectId: number): Promise<PersonProgress> => {
  const row = await metadata
    .selectFrom('person_positions')
    .select(['inbox_row', 'events', 'revision'])
    .where('project_id', '=', projectId)
    .executeTakeFirst()
  return { position: positionOf(row), revision: row?.revision ?? 0 }
}

/** Writes the progress that covers changes of persons and groups. Call it in the transaction that writes them. */
export const savePersonProgress = async (
  transaction: Metadata,
  projectId: number,
  { position, revision }: PersonProgress,
): Promise<void> => {
  const stored = { ...storedPosition(position), revision }
  await transaction
    .insertInto('person_positions')
    .values({ project_id: projectId, ...stored })
    .onConflict((conflict) => conflict.column('project_id').doUpdateSet(stored))
    .execute()
}
