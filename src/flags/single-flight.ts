/**
 * Runs `task` with at most one run in flight and one follow-up. Calls made in one turn share a run; calls made during a run
 * share the one that follows it.
 *
 * @param schedule Calls `begin` when a run may begin: at the end of the turn, so that the run includes all changes of the turn.
 * @returns Resolves when a run that began after the call has ended, whether it succeeded or failed.
 */
export const createSingleFlight = (
  schedule: (begin: () => void) => void,
  task: () => Promise<void>,
  onError: (error: unknown) => void,
): (() => Promise<void>) => {
  let lastRun: Promise<void> | undefined
  let pendingRun: Promise<void> | undefined
  return () =>
    (pendingRun ??= lastRun = Promise.all([lastRun, new Promise<void>(schedule)]).then(() => {
      pendingRun = undefined
      return task().catch(onError)
    }))
}
