import type { ActorEvents, Chain, FunnelRules, Positions } from '../../../../src/service/insight/funnel/actor-events.ts'
import { SKIPPED } from '../../../../src/service/insight/funnel/actor-events.ts'

/** The positions of the events of a chain. */
const eventsOf = (chain: Chain): readonly number[] => chain.filter((position) => position !== SKIPPED)

/** All chains of events that are steps of a conversion, found by trying. */
const listChains = (events: ActorEvents, rules: FunnelRules, starts: Positions): readonly Chain[] => {
  const chains: Chain[] = []
  const extend = (chain: Chain): void => {
    if (chain.length > 0) chains.push(chain)
    for (let skipped: number[] = []; chain.length + skipped.length < rules.stepCount; skipped = [...skipped, SKIPPED]) {
      for (let position = 0; position < events.count; position++) {
        const longer = [...chain, ...skipped, position]
        if (isChain(longer, events, rules, starts)) extend(longer)
      }
      if (!rules.optionalSteps.includes(chain.length + skipped.length)) return
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
  const isInOrder = eventsOf(chain).every((position, place, list) => {
    const before = list[place - 1]
    return before === undefined || (order === 'strict' ? position === before + 1 : position > before)
  })
  const isStep = (position: number, step: number): boolean =>
    position === SKIPPED || ((masks[position]! >> step) & 1) === 1
  const isOfSteps = order === 'unordered' ? canAssign(chain, stepCount, isStep) : chain.every(isStep)
  const isExcluded = exclusions.some(({ fromStep, toStep }, index) => {
    // Without an order there must be none after the first event, the last one included.
    if (order === 'unordered')
      return masks.slice(first + 1, last + 1).some((mask) => ((mask >> (stepCount + index)) & 1) === 1)
    if (chain.length <= fromStep) return false
    const [entered] = eventsOf(chain.slice(fromStep))
    const [left = last] = eventsOf(chain.slice(toStep))
    const between = masks.slice(entered! + 1, left)
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

const compareChains = (a: Chain, b: Chain, { optionalSteps }: FunnelRules): number => {
  const [eventsOfA, eventsOfB] = [eventsOf(a), eventsOf(b)]
  const countNeeded = (chain: Chain): number => [...chain.keys()].filter((step) => !optionalSteps.includes(step)).length
  const differences = [
    countNeeded(b) - countNeeded(a),
    eventsOfB.length - eventsOfA.length,
    a.at(-1)! - b.at(-1)!,
    b[0]! - a[0]!,
    ...eventsOfA.map((position, place) => position - eventsOfB[place]!),
    // The same events are better as the earlier steps.
    ...a.map((position, step) => (b[step] ?? SKIPPED) - position),
  ]
  return differences.find((difference) => difference !== 0) ?? 0
}

/** The best chain of all. */
export const findConversion = (
  events: ActorEvents,
  rules: FunnelRules,
  starts: Positions = { from: 0, before: events.count },
): Chain => listChains(events, rules, starts).toSorted((a, b) => compareChains(a, b, rules))[0] ?? []
