/** Has the columns of `internal.distinct_ids`, with public ids. */
export const RESOLVED_IDS = 'internal.resolved_ids'

/** Has the columns of `CURRENT_PERSONS`, with public ids. */
export const RESOLVED_PERSONS = 'internal.resolved_persons'
