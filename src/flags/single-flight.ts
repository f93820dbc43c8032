/**
 * Runs `task` with at most one run in flight and one follow-up. Calls made in one turn share a run; calls made during a run
 * share the one that follows it.
 *
 * @param schedule Calls back when the first run may begin: at the end of the turn, so that it sees all changes of the turn.
 * @returns Resolves when a run that began after the call has ended, whether it succeeded or failed.
 */
export const createSingleFlight = (
  schedule: (begin: () => void) => void,
  task: () => Promise<void>,
  onError: (error: unknown) => void,
): (() => Promise<void>) => {
  let last: Promise<void> | undefined
  let next: Promise<void> | undefined
  return () =>
    (next ??= last = Promise.all([last, new Promise<void>(schedule)]).then(() => {
      next = undefined
      return task().catch(onError)
    }))
}
