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
  if (rules.order === 'unordered') return listAttempts(events, rules, starts)
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
  const isOfSteps = chain.every((position, step) => ((masks[position]! >> step) & 1) === 1)
  const isExcluded = exclusions.some(({ fromStep, toStep }, index) => {
    if (chain.length <= fromStep) return false
    const between = masks.slice(chain[fromStep]! + 1, chain[Math.min(toStep, chain.length - 1)])
    return between.some((mask) => ((mask >> (stepCount + index)) & 1) === 1)
  })
  return isInOrder && isOfSteps && !isExcluded
}

/** The attempt of each start; each step of it is a chain. */
const listAttempts = (
  { count, times, masks }: ActorEvents,
  { stepCount, windowMs }: FunnelRules,
  starts: Positions,
): readonly Chain[] => {
  const chains: Chain[] = []
  for (let start = starts.from; start < starts.before; start++) {
    const done = new Set<number>()
    let chain: Chain = []
    for (let position = start; position < count && times[position]! - times[start]! <= windowMs; position++) {
      if (position > start && masks[position]! >> stepCount !== 0) break
      const step = Array.from({ length: stepCount }, (_, index) => index).find(
        (index) => ((masks[position]! >> index) & 1) === 1 && !done.has(index),
      )
      // An attempt begins with an event that is a step.
      if (step === undefined && position === start) break
      if (step === undefined) continue
      done.add(step)
      chain = [...chain, position]
      chains.push(chain)
    }
  }
  return chains
}

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
