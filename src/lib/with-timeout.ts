import type { Clock } from '../port/clock.ts'

/** Settles like `work`, or resolves with undefined if `work` takes longer than `timeoutMs`. */
export const withTimeout = <T>(
  clock: Pick<Clock, 'after'>,
  timeoutMs: number,
  work: Promise<T>,
): Promise<T | undefined> =>
  new Promise((resolve, reject) => {
    const cancelTimer = clock.after(timeoutMs, () => resolve(undefined))
    void work.then(resolve, reject).then(cancelTimer)
  })
