import type { FunnelPaths } from '../question/paths.ts'
import type { ActorEvents, Chain } from './actor-events.ts'
import { SKIPPED } from './actor-events.ts'
import type { ConversionCollector } from './collect-conversions.ts'
import { createPointCollector } from './find-actors.ts'

/** The times of actors in which their paths count, in milliseconds; both ends are included. */
export interface ActorWindows {
  /** Ids, in the order of the lists below. */
  readonly actors: readonly string[]
  readonly from: readonly number[]
  readonly to: readonly number[]
}

/** Finds the actors of a point of a funnel, and the part of their time that counts. */
export const createWindowFinder = (paths: FunnelPaths): ConversionCollector<ActorWindows> =>
  createPointCollector(
    { ...paths, kind: 'funnel', group: null },
    (events, chain) => findWindow(paths, events, chain),
    (found) => ({
      actors: [...found.keys()],
      from: Array.from(found.values(), ([from]) => from),
      to: Array.from(found.values(), ([, to]) => to),
    }),
  )

/** The least and the greatest time that there is. */
const [MIN_TIME, MAX_TIME] = [-8.64e15, 8.64e15]

const findWindow = (
  { part, doneStep, missedStep, question: { windowMs } }: FunnelPaths,
  { times }: ActorEvents,
  chain: Chain,
): readonly [from: number, to: number] => {
  /** The time of the last step done before another one. */
  const timeBefore = (step: number): number =>
    times[chain.slice(0, step).findLast((position) => position !== SKIPPED) ?? chain[0]!]!
  if (missedStep !== null)
    // Those who did not go on are gone when the window of their conversion ends.
    return part === 'after' ? [timeBefore(missedStep), MAX_TIME] : [MIN_TIME, times[chain[0]!]! + windowMs]
  const time = times[chain[doneStep]!]!
  if (part === 'after') return [time, MAX_TIME]
  return [part === 'before' ? MIN_TIME : timeBefore(doneStep), time]
}
