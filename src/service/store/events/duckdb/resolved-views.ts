/** Has the columns of `internal.distinct_ids`, with public ids. */
export const RESOLVED_IDS = 'internal.resolved_ids'

/** Has the columns of `CURRENT_PERSONS`, with public ids. */
export const RESOLVED_PERSONS = 'internal.resolved_persons'

/** What is known of a file's views when it opens. */
export interface OpenViewsOptions {
  /** Whether the file has any row for which the views must be other ones. */
  readonly areStored: boolean
  /**
   * Whether no query runs, so that the views may stay as the last open left them: to create them takes as long as to write a few events.
   */
  readonly isBrief: boolean
}
