import { StartError } from '../../data-folder.ts'
import type { Metadata } from './open.ts'

/**
 * Claims the metadata for a node, before it reads or writes anything else. Throws `StartError` when it belongs to another: a node keeps
 * persons in memory, so two would write over each other's changes.
 */
export const claimMetadata = (metadata: Metadata, nodeId: string): Promise<void> =>
  metadata.transaction().execute(async (transaction) => {
    const other = await transaction
      .selectFrom('inbox_mark')
      .select('node_id')
      .where('node_id', '!=', nodeId)
      .executeTakeFirst()
    if (other !== undefined)
      throw new StartError(
        `The metadata belongs to the data folder with the node id ${other.node_id}, and serves one folder only. Start that one, or a copy ` +
          'of it from a backup. If it is lost, delete its rows from the tables inbox_mark and person_positions.',
      )
    await transaction
      .insertInto('inbox_mark')
      .values({ node_id: nodeId, highest_row: 0 })
      .onConflict((conflict) => conflict.column('node_id').doNothing())
      .execute()
  })
