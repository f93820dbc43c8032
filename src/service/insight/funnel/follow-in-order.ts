import type { ActorEvents, Chain, FunnelRules, Positions } from './actor-events.ts'

/**
 * Follows the steps of an ordered or strict funnel, one event after the other.
 *
 * For each step it keeps one chain of events that came so far: the one with the latest start. No other can come further, because
 * what follows is the same for all of them, and their windows end earlier. An exclusion ends the chains that have passed its first
 * step and not its last one.
 */
export const followInOrder = (
  { count, times, masks }: ActorEvents,
  { stepCount, order, windowMs, exclusions }: FunnelRules,
  starts: Positions,
): Chain => {
  const isStrict = order === 'strict'
  /** Row k has the positions of the chain that came to step k. */
  const chains = new Int32Array(stepCount * stepCount)
  const hasChain = new Uint8Array(stepCount)
  let deepest: Chain = []
  /** The steps whose chains the current event ends, as bits. */
  let ended = 0
  const startOf = (step: number): number => chains[step * stepCount]!

  /** Whether an event that matches a step goes on with the chain of the step before. */
  const canEnter = (step: number, position: number): boolean => {
    if (step === 0) return position < starts.before
    if (hasChain[step - 1] === 0 || times[position]! - times[startOf(step - 1)]! > windowMs) return false
    const isHere = hasChain[step] === 1 && startOf(step) === startOf(step - 1)
    // The same start was here earlier, which is better unless that chain ends now.
    return isStrict || !isHere || (ended & (1 << step)) !== 0
  }
  const enter = (step: number, position: number): void => {
    const row = step * stepCount
    if (step > 0) chains.copyWithin(row, row - stepCount, row - stepCount + step)
    chains[row + step] = position
    hasChain[step] = 1
    if (step >= deepest.length) deepest = Array.from(chains.subarray(row, row + step + 1))
  }
  const isExcluded = (index: number, mask: number): boolean => (mask & (1 << (stepCount + index))) !== 0
  const findEnded = (mask: number): number =>
    exclusions.reduce(
      (steps, { fromStep, toStep }, index) =>
        isExcluded(index, mask) ? steps | ((1 << toStep) - (1 << fromStep)) : steps,
      0,
    )
  const endChains = (mask: number, position: number): void => {
    for (const [index, { fromStep, toStep }] of exclusions.entries()) {
      if (!isExcluded(index, mask)) continue
      // An event that is the first step of the exclusion itself is not after it.
      const hasJustEntered = chains[fromStep * stepCount + fromStep] === position
      hasChain.fill(0, hasJustEntered ? fromStep + 1 : fromStep, toStep)
    }
  }

  const end = starts.before === 0 ? -Infinity : times[starts.before - 1]! + windowMs
  for (let position = starts.from; position < count && times[position]! <= end; position++) {
    const mask = masks[position]!
    ended = mask >>> stepCount === 0 ? 0 : findEnded(mask)
    // From the last step to the first, so that the event is one step of a chain only.
    for (let step = stepCount - 1; step >= 0; step--) {
      if ((mask & (1 << step)) !== 0 && canEnter(step, position)) enter(step, position)
      else if (isStrict) hasChain[step] = 0
    }
    if (deepest.length === stepCount) return deepest
    if (ended !== 0) endChains(mask, position)
  }
  return deepest
}
