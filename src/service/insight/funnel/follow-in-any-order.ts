import { ROWS_PER_YIELD } from '../../work-in-chunks.ts'
import type { ActorEvents, Chain, Follower, FunnelRules, Positions } from './actor-events.ts'
import { lastTimeOf } from './actor-events.ts'

/** An attempt to do all steps. */
interface Attempt {
  /** A bit for each step that is done. */
  readonly done: number
  readonly chain: Chain
}

/**
 * Follows the steps of a funnel whose steps may be in any order. Attempts begin with each event that matches a step. Where an event
 * matches several steps that an attempt has not done yet, the attempt goes on as one for each of them: which step the event is best
 * counted as depends on the events after it. An exclusion ends all attempts before it.
 *
 * An attempt never leaves out an event that it can use: with one step more it can do all that it could do without it. Of the attempts
 * that have done the same steps, only the best one is kept: the others go on in the same way.
 */
export const createUnorderedFollower = ({ stepCount, windowMs }: FunnelRules): Follower => {
  const allSteps = (1 << stepCount) - 1
  /** By the steps that are done. */
  const attempts = new Map<number, Attempt>()
  let deepest: Chain = []
  let events: ActorEvents = { count: 0, times: new Float64Array(), masks: new Int32Array() }
  let starts: Positions = { from: 0, before: 0 }
  let [position, lastTime] = [0, 0]

  /** Returns whether the conversion is complete. */
  const follow = (mask: number): boolean => {
    const { times } = events
    if (mask >>> stepCount !== 0) attempts.clear()
    const matching = mask & allSteps
    if (matching === 0) return false
    const moved =
      position < starts.before ? listBits(matching).map((done): Attempt => ({ done, chain: [position] })) : []
    for (const { done, chain } of attempts.values()) {
      const isLate = times[position]! - times[chain[0]!]! > windowMs
      const steps = isLate ? [] : listBits(matching & ~done)
      if (isLate || steps.length > 0) attempts.delete(done)
      for (const step of steps) moved.push({ done: done | step, chain: [...chain, position] })
    }
    for (const attempt of moved) {
      const other = attempts.get(attempt.done)
      if (other === undefined || isBetter(attempt.chain, other.chain)) attempts.set(attempt.done, attempt)
      if (isDeeper(attempt.chain, deepest)) deepest = attempt.chain
    }
    return deepest.length === stepCount
  }

  return {
    begin(ofActor, startsOfActor) {
      events = ofActor
      starts = startsOfActor
      position = starts.from
      lastTime = lastTimeOf(events, starts, windowMs)
      attempts.clear()
      deepest = []
    },
    advance() {
      const { count, times, masks } = events
      // Each event is work for each attempt.
      for (let work = 0; work < ROWS_PER_YIELD && position < count; position++) {
        work += 1 + attempts.size
        if (times[position]! > lastTime || follow(masks[position]!)) return false
      }
      return position < count
    },
    chain: () => deepest,
  }
}

/** The bits of a mask, each as a mask of its own. */
const listBits = (mask: number): readonly number[] => {
  const bits: number[] = []
  for (let rest = mask; rest !== 0; rest &= rest - 1) bits.push(rest & -rest)
  return bits
}

/** Whether a chain is better than another one of the same length: it begins later, or else has earlier steps. */
const isBetter = (chain: Chain, other: Chain): boolean => {
  if (chain[0] !== other[0]) return chain[0]! > other[0]!
  const place = chain.findIndex((position, step) => position !== other[step])
  return place >= 0 && chain[place]! < other[place]!
}

/** Whether a chain has more steps than another one, or ends with the same event and is better. */
const isDeeper = (chain: Chain, other: Chain): boolean =>
  chain.length === other.length ? chain.at(-1) === other.at(-1) && isBetter(chain, other) : chain.length > other.length
