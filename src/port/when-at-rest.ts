/**
 * Calls `task` when the page has started and rests: work that nobody waits for.
 *
 * @returns Cancels the call.
 */
export type WhenAtRest = (task: () => void) => () => void
