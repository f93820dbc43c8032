import { StartError } from '../../data-folder.ts'
import type { Metadata } from './open.ts'

/** A node that starts. */
export interface ClaimingNode {
  readonly nodeId: string
  /** Whether its events are in its data folder, instead of in a store that all nodes share. */
  readonly embedsEvents: boolean
}

/**
 * Notes that a node uses the metadata, before it reads or writes anything else. Throws `StartError` when another one does and either has
 * its events for itself: queries would find a part of the events, on each node another one.
 */
export const claimMetadata = (metadata: Metadata, { nodeId, embedsEvents }: ClaimingNode): Promise<void> =>
  metadata.transaction().execute(async (transaction) => {
    const others = transaction.selectFrom('inbox_mark').select('node_id').where('node_id', '!=', nodeId)
    const other = await (embedsEvents ? others : others.where('embeds_events', '=', 1)).executeTakeFirst()
    if (other !== undefined)
      throw new StartError(
        `The metadata belongs to the data folder with the node id ${other.node_id}. It serves several folders only while the events of all ` +
          'are in ClickHouse. Start that one, or a copy of it from a backup. If it is lost, delete its row from the table inbox_mark.',
      )
    const embeds_events = embedsEvents ? 1 : 0
    await transaction
      .insertInto('inbox_mark')
      .values({ node_id: nodeId, highest_row: 0, embeds_events })
      .onConflict((conflict) => conflict.column('node_id').doUpdateSet({ embeds_events }))
      .execute()
  })
