import { ROWS_PER_YIELD } from '../../work-in-chunks.ts'
import type { ActorEvents, Follower, FunnelRules, Positions } from './actor-events.ts'
import { lastTimeOf, SKIPPED } from './actor-events.ts'

/** No row. */
const NONE = -1

/**
 * Follows the steps of an ordered or strict funnel that has optional steps, one event after the other.
 *
 * For each step, and each number of optional steps done so far, it keeps the best chain of events that came there: the one with the latest
 * start. What follows is the same for all of them, and their windows end earlier. A chain goes on to the next step or, over steps that are
 * all optional, to a later one. An exclusion ends the chains that have passed its first step and not its last one.
 *
 * A complete conversion without an optional step may become one with it, so that the work ends early only with all steps.
 */
export const createOptionalFollower = ({
  stepCount,
  optionalSteps,
  order,
  windowMs,
  exclusions,
}: FunnelRules): Follower => {
  const isStrict = order === 'strict'
  const isOptional = Array.from({ length: stepCount }, (_, step) => optionalSteps.includes(step))
  /** The numbers of optional steps that may be done, from 0. */
  const levels = optionalSteps.length + 1
  const rowOf = (step: number, done: number): number => step * levels + done
  /** The row of the best chain of all. */
  const best = stepCount * levels
  /** Each row has the position of each step of a chain. */
  const chains = new Int32Array((best + 1) * stepCount)
  const hasChain = new Uint8Array(best)
  /** How far a chain of a step has come: steps that are not optional count more than all others. */
  const depthOf = (step: number, done: number): number =>
    (step + 1 - optionalSteps.filter((each) => each <= step).length) * levels + done
  const depths = Array.from({ length: best }, (_, row) => depthOf(Math.floor(row / levels), row % levels))
  const allSteps = depthOf(stepCount - 1, levels - 1)
  let depth = 0
  let bestEnd = 0
  let events: ActorEvents = { count: 0, times: new Float64Array(), masks: new Int32Array() }
  let starts: Positions = { from: 0, before: 0 }
  let [position, lastTime] = [0, 0]

  const positionAt = (row: number, step: number): number => chains[row * stepCount + step]!
  const copy = (from: number, to: number): void => {
    chains.copyWithin(to * stepCount, from * stepCount, (from + 1) * stepCount)
  }
  const findNext = (row: number, from: number): number => {
    let step = from
    while (step < stepCount && positionAt(row, step) === SKIPPED) step++
    return step
  }
  /** Whether a chain is better than another one of as many events: it begins later, or has earlier steps. */
  const isBetter = (row: number, other: number): boolean => {
    if (positionAt(row, 0) !== positionAt(other, 0)) return positionAt(row, 0) > positionAt(other, 0)
    let earlier = 0
    let [step, otherStep] = [findNext(row, 1), findNext(other, 1)]
    while (step < stepCount && otherStep < stepCount) {
      const difference = positionAt(row, step) - positionAt(other, otherStep)
      if (difference !== 0) return difference < 0
      // The same events are better as the earlier steps.
      earlier ||= step - otherStep
      ;[step, otherStep] = [findNext(row, step + 1), findNext(other, otherStep + 1)]
    }
    return earlier < 0
  }

  /** The row of the chain that goes on with a step after the first; `NONE` if there is none. */
  const findSource = (step: number, done: number): number => {
    const doneBefore = isOptional[step] ? done - 1 : done
    let source = NONE
    if (doneBefore < 0) return source
    for (let before = step - 1; before >= 0; before--) {
      const row = rowOf(before, doneBefore)
      const isOpen = hasChain[row] === 1 && events.times[position]! - events.times[positionAt(row, 0)]! <= windowMs
      if (isOpen && (source === NONE || isBetter(row, source))) source = row
      if (!isOptional[before]) break
    }
    return source
  }
  const enter = (step: number, done: number, source: number): void => {
    const row = rowOf(step, done)
    if (source === NONE) chains.fill(SKIPPED, row * stepCount, (row + 1) * stepCount)
    else copy(source, row)
    chains[row * stepCount + step] = position
    hasChain[row] = 1
    const isBest = depths[row] === depth ? bestEnd === position && isBetter(row, best) : depths[row]! > depth
    if (!isBest) return
    depth = depths[row]!
    bestEnd = position
    copy(row, best)
  }

  const isExcluded = (index: number, mask: number): boolean => (mask & (1 << (stepCount + index))) !== 0
  /** Whether an event ends the chains that came to a step before it. */
  const endsChains = (step: number, mask: number): boolean =>
    mask >>> stepCount !== 0 &&
    exclusions.some(({ fromStep, toStep }, index) => step >= fromStep && step < toStep && isExcluded(index, mask))
  const endChains = (mask: number): void => {
    for (const [index, { fromStep, toStep }] of exclusions.entries()) {
      if (!isExcluded(index, mask)) continue
      for (let row = rowOf(fromStep, 0); row < rowOf(toStep, 0); row++)
        // The event that takes a chain to the exclusion's first step, or past it, is not after it.
        if (positionAt(row, findNext(row, fromStep)) !== position) hasChain[row] = 0
    }
  }

  const followStep = (step: number, mask: number): void => {
    const isStep = (mask & (1 << step)) !== 0
    for (let done = 0; done < levels; done++) {
      const row = rowOf(step, done)
      const source = isStep && step > 0 ? findSource(step, done) : NONE
      const canEnter = step === 0 ? isStep && done === 0 && position < starts.before : source !== NONE
      // A chain with the same start was here earlier, which is better unless it ends now.
      const isHere = canEnter && source !== NONE && hasChain[row] === 1 && positionAt(row, 0) >= positionAt(source, 0)
      if (canEnter && (isStrict || !isHere || endsChains(step, mask))) enter(step, done, source)
      else if (isStrict) hasChain[row] = 0
    }
  }
  /** Returns whether the conversion has all steps. */
  const follow = (mask: number): boolean => {
    // From the last step to the first, so that the event is one step of a chain only.
    for (let step = stepCount - 1; step >= 0; step--) if (isStrict || (mask & (1 << step)) !== 0) followStep(step, mask)
    if (depth === allSteps) return true
    if (mask >>> stepCount !== 0) endChains(mask)
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
      // Each event is work for each row.
      const before = Math.min(count, position + Math.ceil(ROWS_PER_YIELD / levels))
      for (; position < before; position++) if (times[position]! > lastTime || follow(masks[position]!)) return false
      return position < count
    },
    chain() {
      if (depth === 0) return []
      let end = stepCount
      while (positionAt(best, end - 1) === SKIPPED) end--
      return Array.from({ length: end }, (_, step) => positionAt(best, step))
    },
  }
}
