import { ROWS_PER_YIELD } from '../../work-in-chunks.ts'
import type { ActorEvents, Follower, FunnelRules, Positions } from './actor-events.ts'
import { lastTimeOf } from './actor-events.ts'

/**
 * Follows the steps of an ordered or strict funnel without optional steps, one event after the other.
 *
 * For each step it keeps one chain of events that came so far: the one with the latest start. No other can come further, because
 * what follows is the same for all of them, and their windows end earlier. An exclusion ends the chains that have passed its first
 * step and not its last one.
 *
 * Nothing is created for an event: the chains are in arrays that are used again for the next actor.
 */
export const createOrderedFollower = ({ stepCount, order, windowMs, exclusions }: FunnelRules): Follower => {
  const isStrict = order === 'strict'
  /** Row k has the positions of the chain that came to step k. */
  const chains = new Int32Array(stepCount * stepCount)
  const hasChain = new Uint8Array(stepCount)
  const deepest = new Int32Array(stepCount)
  let depth = 0
  let events: ActorEvents = { count: 0, times: new Float64Array(), masks: new Int32Array() }
  let starts: Positions = { from: 0, before: 0 }
  let [position, lastTime] = [0, 0]
  /** The steps whose chains the current event ends, as bits. */
  let ended = 0

  const startOf = (step: number): number => chains[step * stepCount]!
  /** Whether an event that matches a step after the first goes on with the chain of the step before. */
  const canEnter = (step: number): boolean => {
    const { times } = events
    if (hasChain[step - 1] === 0 || times[position]! - times[startOf(step - 1)]! > windowMs) return false
    const isHere = hasChain[step] === 1 && startOf(step) === startOf(step - 1)
    // The same start was here earlier, which is better unless that chain ends now.
    return isStrict || !isHere || (ended & (1 << step)) !== 0
  }
  const enter = (step: number): void => {
    const row = step * stepCount
    for (let earlier = 0; earlier < step; earlier++) chains[row + earlier] = chains[row - stepCount + earlier]!
    chains[row + step] = position
    hasChain[step] = 1
    if (step < depth) return
    depth = step + 1
    for (let place = 0; place < depth; place++) deepest[place] = chains[row + place]!
  }

  const isExcluded = (index: number, mask: number): boolean => (mask & (1 << (stepCount + index))) !== 0
  const findEnded = (mask: number): number =>
    exclusions.reduce(
      (steps, { fromStep, toStep }, index) =>
        isExcluded(index, mask) ? steps | ((1 << toStep) - (1 << fromStep)) : steps,
      0,
    )
  const endChains = (mask: number): void => {
    for (const [index, { fromStep, toStep }] of exclusions.entries()) {
      if (!isExcluded(index, mask)) continue
      // An event that is the first step of the exclusion itself is not after it.
      const hasJustEntered = chains[fromStep * stepCount + fromStep] === position
      hasChain.fill(0, hasJustEntered ? fromStep + 1 : fromStep, toStep)
    }
  }

  /** Returns whether the conversion is complete. */
  const follow = (mask: number): boolean => {
    ended = mask >>> stepCount === 0 ? 0 : findEnded(mask)
    // From the last step to the first, so that the event is one step of a chain only.
    for (let step = stepCount - 1; step >= 0; step--) {
      const isStep = (mask & (1 << step)) !== 0
      if (isStep && (step === 0 ? position < starts.before : canEnter(step))) enter(step)
      else if (isStrict) hasChain[step] = 0
    }
    if (depth === stepCount) return true
    if (ended !== 0) endChains(mask)
    return false
  }

  return {
    begin(ofActor, startsOfActor) {
      events = ofActor
      starts = startsOfActor
      position = starts.from
      lastTime = lastTimeOf(events, starts, windowMs)
      depth = 0
      hasChain.fill(0)
    },
    advance() {
      const { count, times, masks } = events
      const before = Math.min(count, position + ROWS_PER_YIELD)
      for (; position < before; position++) if (times[position]! > lastTime || follow(masks[position]!)) return false
      return position < count
    },
    chain() {
      const chain: number[] = []
      for (let place = 0; place < depth; place++) chain.push(deepest[place]!)
      return chain
    },
  }
}
