import type { Metadata } from './open.ts'

/** The one row of its table. */
const ONLY = 1

/** No inbox row above this id was ever given: the mark, or what persons have seen where that is more. 0 for a new folder. */
export const readInboxMark = async (metadata: Metadata): Promise<number> => {
  const mark = await metadata.selectFrom('inbox_mark').select('highest_row').executeTakeFirst()
  const { seen } = await metadata
    .selectFrom('person_positions')
    .select((row) => row.fn.max('inbox_row').as('seen'))
    .executeTakeFirstOrThrow()
  return Math.max(mark?.highest_row ?? 0, seen ?? 0)
}

/** Raises the mark, so that ids up to and including `highestRow` may be given. */
export const saveInboxMark = async (metadata: Metadata, highestRow: number): Promise<void> => {
  await metadata
    .insertInto('inbox_mark')
    .values({ id: ONLY, highest_row: highestRow })
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ highest_row: highestRow }))
    .execute()
}
