import type { RowPosition } from '../row-position.ts'
import type { Metadata } from './open.ts'
import { positionOf, storedPosition } from '../row-position.ts'

/** The position through which the project's persons and groups are up to date. */
export async function personPosition(metadata: Metadata, projectId: number): Promise<RowPosition> {
  const row = await metadata
    .selectFrom('person_positions')
    .select(['inbox_row', 'events'])
    .where('project_id', '=', projectId)
    .executeTakeFirst()
  return positionOf(row)
}

/** Writes the position that covers changes of persons and groups. Call it in the transaction that writes them. */
export async function savePersonPosition(
  transaction: Metadata,
  projectId: number,
  position: RowPosition,
): Promise<void> {
  const stored = storedPosition(position)
  await transaction
    .insertInto('person_positions')
    .values({ project_id: projectId, ...stored })
    .onConflict((conflict) => conflict.column('project_id').doUpdateSet(stored))
    .execute()
}
