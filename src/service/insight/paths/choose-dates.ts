import type { Static } from 'typebox'
import type { DateRangeInput } from '../schema/fields.ts'

type Dates = Static<typeof DateRangeInput> | null | undefined

/** The first dates, or the others where these name none: a query of paths and its funnel lend them to each other. */
export const chooseDates = (dates: Dates, others: Dates): Dates =>
  dates?.date_from || dates?.date_to ? dates : (others ?? dates)
