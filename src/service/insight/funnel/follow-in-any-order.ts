import { ROWS_PER_YIELD } from '../../work-in-chunks.ts'
import type { Work } from '../../work-in-chunks.ts'
import type { Chain, FollowSteps, FunnelRules } from './actor-events.ts'
import { lastTimeOf } from './actor-events.ts'

/** An attempt to do all steps. */
interface Attempt {
  /** A bit for each step that is done. */
  readonly done: number
  readonly chain: Chain
}

/**
 * Follows the steps of a funnel whose steps may be in any order. An attempt begins with each event that matches a step. Each event
 * then is the first of the steps that it matches and that are not done yet. An exclusion ends all attempts before it.
 *
 * Of the attempts that have done the same steps, only the one with the latest start is kept: the others go on in the same way, and
 * their windows end earlier.
 */
export const createUnorderedFollower = ({ stepCount, windowMs }: FunnelRules): FollowSteps => {
  const allSteps = (1 << stepCount) - 1
  /** Events and attempts since the last yield, of this actor and those before. */
  let work = 0
  return function* (events, starts): Work<Chain> {
    const { count, times, masks } = events
    const lastTime = lastTimeOf(events, starts, windowMs)
    /** By the steps that are done. */
    const attempts = new Map<number, Attempt>()
    let deepest: Chain = []
    for (let position = starts.from; position < count && times[position]! <= lastTime; position++) {
      const mask = masks[position]!
      work += 1 + attempts.size
      if (work >= ROWS_PER_YIELD) {
        work = 0
        yield
      }
      if (mask >>> stepCount !== 0) attempts.clear()
      const matching = mask & allSteps
      if (matching === 0) continue
      const moved: Attempt[] = position < starts.before ? [{ done: lowestOf(matching), chain: [position] }] : []
      for (const { done, chain } of attempts.values()) {
        const isLate = times[position]! - times[chain[0]!]! > windowMs
        const step = lowestOf(matching & ~done)
        if (isLate || step !== 0) attempts.delete(done)
        if (!isLate && step !== 0) moved.push({ done: done | step, chain: [...chain, position] })
      }
      for (const attempt of moved) {
        const other = attempts.get(attempt.done)
        if (other === undefined || other.chain[0]! < attempt.chain[0]!) attempts.set(attempt.done, attempt)
        if (isDeeper(attempt.chain, deepest)) deepest = attempt.chain
      }
      if (deepest.length === stepCount) break
    }
    return deepest
  }
}

/** The lowest bit of a mask; 0 for none. */
const lowestOf = (mask: number): number => mask & -mask

/** Whether a chain has more steps than another one, or ends with the same event and begins later. */
const isDeeper = (chain: Chain, other: Chain): boolean => {
  if (chain.length !== other.length) return chain.length > other.length
  return chain.at(-1) === other.at(-1) && chain[0]! > other[0]!
}
