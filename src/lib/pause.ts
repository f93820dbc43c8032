import type { Clock } from '../port/clock.ts'

/** Resolves after `ms`, or earlier when one calls the function that `aborts` contains meanwhile. */
export const pause = (clock: Pick<Clock, 'after'>, ms: number, aborts: Set<() => void>): Promise<void> =>
  new Promise((resolve) => {
    const end = (): void => {
      cancelTimer()
      aborts.delete(end)
      resolve()
    }
    const cancelTimer = clock.after(ms, end)
    aborts.add(end)
  })
