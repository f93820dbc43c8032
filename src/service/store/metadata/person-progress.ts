import type { RowPosition } from '../row-position.ts'
import type { Metadata } from './open.ts'
import { fromStoredPosition, toStoredPosition } from '../row-position.ts'

/** The position and revision of a project's persons and groups, of one node. */
export interface PersonProgress {
  /** All events before this position are applied. */
  readonly position: RowPosition
  /** Number of transactions that changed them. If a copy has a higher revision, the metadata is an older backup. */
  readonly revision: number
}

/** Reads the progress of a project's persons and groups. */
export const readPersonProgress = async (
  metadata: Metadata,
  nodeId: string,
  projectId: number,
): Promise<PersonProgress> => {
  const row = await metadata
    .selectFrom('person_positions')
    .select(['inbox_row', 'events', 'revision'])
    .where('node_id', '=', nodeId)
    .where('project_id', '=', projectId)
    .executeTakeFirst()
  return { position: fromStoredPosition(row), revision: row?.revision ?? 0 }
}

/** Writes the progress. Call it in the transaction that writes the changes it covers. */
export const savePersonProgress = async (
  transaction: Metadata,
  nodeId: string,
  projectId: number,
  { position, revision }: PersonProgress,
): Promise<void> => {
  const stored = { ...toStoredPosition(position), revision }
  await transaction
    .insertInto('person_positions')
    .values({ node_id: nodeId, project_id: projectId, ...stored })
    .onConflict((conflict) => conflict.columns(['node_id', 'project_id']).doUpdateSet(stored))
    .execute()
}
