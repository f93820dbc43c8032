/**
 * Runs `task` with one run at a time and one follow-up: calls made in one turn share a run, calls made during a run share
 * the one that follows it.
 *
 * @param start Calls back when the first run may begin (the end of the turn, so that it sees all changes of the turn).
 * @returns Resolves when a run that began after the call has ended; a run that fails has ended too.
 */
export const singleFlight = (
  start: (begin: () => void) => void,
  task: () => Promise<void>,
  onError: (error: unknown) => void,
): (() => Promise<void>) => {
  let last: Promise<void> | undefined
  let next: Promise<void> | undefined
  return () =>
    (next ??= last = Promise.all([last, new Promise<void>(start)]).then(() => {
      next = undefined
      return task().catch(onError)
    }))
}
