import type { ActorEvents, Chain, FunnelRules, Positions } from '../../../../src/service/insight/funnel/actor-events.ts'

/** All chains of events that are steps of a conversion, found by trying. */
const listChains = (events: ActorEvents, rules: FunnelRules, starts: Positions): readonly Chain[] => {
  const chains: Chain[] = []
  const extend = (chain: Chain): void => {
    if (chain.length > 0) chains.push(chain)
    if (chain.length === rules.stepCount) return
    for (let position = 0; position < events.count; position++) {
      const longer = [...chain, position]
      if (isChain(longer, events, rules, starts)) extend(longer)
    }
  }
  extend([])
  return chains
}

const isChain = (
  chain: Chain,
  { times, masks }: ActorEvents,
  { stepCount, order, windowMs, exclusions }: FunnelRules,
  starts: Positions,
): boolean => {
  const [first, last] = [chain[0]!, chain.at(-1)!]
  if (first < starts.from || first >= starts.before || times[last]! - times[first]! > windowMs) return false
  const isInOrder = chain.every(
    (position, step) =>
      step === 0 || (order === 'strict' ? position === chain[step - 1]! + 1 : position > chain[step - 1]!),
  )
  const isStep = (position: number, step: number): boolean => ((masks[position]! >> step) & 1) === 1
  const isOfSteps = order === 'unordered' ? canAssign(chain, stepCount, isStep) : chain.every(isStep)
  const isExcluded = exclusions.some(({ fromStep, toStep }, index) => {
    // Without an order there must be none after the first event, the last one included.
    if (order === 'unordered')
      return masks.slice(first + 1, last + 1).some((mask) => ((mask >> (stepCount + index)) & 1) === 1)
    if (chain.length <= fromStep) return false
    const between = masks.slice(chain[fromStep]! + 1, chain[Math.min(toStep, chain.length - 1)])
    return between.some((mask) => ((mask >> (stepCount + index)) & 1) === 1)
  })
  return isInOrder && isOfSteps && !isExcluded
}

/** Whether each event can be another one of the steps that it matches. */
const canAssign = (
  [position, ...others]: Chain,
  stepCount: number,
  isStep: (position: number, step: number) => boolean,
  used: readonly number[] = [],
): boolean =>
  position === undefined ||
  Array.from({ length: stepCount }, (_, step) => step).some(
    (step) => !used.includes(step) && isStep(position, step) && canAssign(others, stepCount, isStep, [...used, step]),
  )

const compareChains = (a: Chain, b: Chain): number => {
  const differences = [b.length - a.length, a.at(-1)! - b.at(-1)!, b[0]! - a[0]!]
  return [...differences, ...a.map((position, step) => position - b[step]!)].find((order) => order !== 0) ?? 0
}

/** The best chain of all. */
export const findConversion = (
  events: ActorEvents,
  rules: FunnelRules,
  starts: Positions = { from: 0, before: events.count },
): Chain => listChains(events, rules, starts).toSorted(compareChains)[0] ?? []
