import type { RowPosition } from '../row-position.ts'
import type { Metadata } from './open.ts'
import { fromStoredPosition, toStoredPosition } from '../row-position.ts'

/** The position and revision of a project's persons and groups. */
export interface PersonProgress {
  /** All events of the node's inbox before this position are applied. */
  readonly position: RowPosition
  /** Number of transactions that changed them, of all nodes. If a copy has a higher revision, the metadata is an older backup. */
  readonly revision: number
}

/** Reads the progress of a project's persons and groups, with the position of a node. */
export const readPersonProgress = async (
  metadata: Metadata,
  nodeId: string,
  projectId: number,
): Promise<PersonProgress> => {
  const rows = await metadata
    .selectFrom('person_positions')
    .select(['node_id', 'inbox_row', 'events', 'revision'])
    .where('project_id', '=', projectId)
    .execute()
  return {
    position: fromStoredPosition(rows.find((row) => row.node_id === nodeId)),
    revision: Math.max(0, ...rows.map((row) => row.revision)),
  }
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
