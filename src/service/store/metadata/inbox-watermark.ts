import type { Metadata } from './open.ts'

/** Id of the only row in the table `inbox_mark`. */
const ROW_ID = 1

/**
 * Reads the watermark: no inbox row id above it was ever assigned. It is the higher of the stored watermark and the last
 * inbox row that changed persons. 0 for a new data folder.
 */
export const readInboxWatermark = async (metadata: Metadata): Promise<number> => {
  const watermark = await metadata.selectFrom('inbox_mark').select('highest_row').executeTakeFirst()
  const { lastPersonRow } = await metadata
    .selectFrom('person_positions')
    .select((row) => row.fn.max('inbox_row').as('lastPersonRow'))
    .executeTakeFirstOrThrow()
  return Math.max(watermark?.highest_row ?? 0, lastPersonRow ?? 0)
}

/** Raises the watermark, so that ids up to and including `highestRow` may be assigned. */
export const saveInboxWatermark = async (metadata: Metadata, highestRow: number): Promise<void> => {
  await metadata
    .insertInto('inbox_mark')
    .values({ id: ROW_ID, highest_row: highestRow })
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ highest_row: highestRow }))
    .execute()
}
