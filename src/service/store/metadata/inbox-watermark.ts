import type { Metadata } from './open.ts'

/**
 * Reads the watermark of a node: its inbox never assigned a row id above it. It is the higher of the stored watermark and the last
 * inbox row that changed persons. 0 for a new data folder.
 */
export const readInboxWatermark = async (metadata: Metadata, nodeId: string): Promise<number> => {
  const watermark = await metadata
    .selectFrom('inbox_mark')
    .select('highest_row')
    .where('node_id', '=', nodeId)
    .executeTakeFirst()
  const { lastPersonRow } = await metadata
    .selectFrom('person_positions')
    .select((row) => row.fn.max('inbox_row').as('lastPersonRow'))
    .where('node_id', '=', nodeId)
    .executeTakeFirstOrThrow()
  return Math.max(watermark?.highest_row ?? 0, lastPersonRow ?? 0)
}

/** Raises the watermark, so that ids up to and including `highestRow` may be assigned. */
export const saveInboxWatermark = async (metadata: Metadata, nodeId: string, highestRow: number): Promise<void> => {
  await metadata
    .insertInto('inbox_mark')
    .values({ node_id: nodeId, highest_row: highestRow })
    .onConflict((conflict) => conflict.column('node_id').doUpdateSet({ highest_row: highestRow }))
    .execute()
}
