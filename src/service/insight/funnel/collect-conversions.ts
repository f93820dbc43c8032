import type { FunnelAnswer, FunnelGroup, FunnelQuestion } from '../question/funnel.ts'
import type { GroupValues } from '../question/trend.ts'
import type { ActorEvents, Chain } from './actor-events.ts'
import { toRules } from './actor-events.ts'
import { createFollower } from './create-follower.ts'
import type { Tally } from './tally.ts'
import { addTally, createTallyRules } from './tally.ts'

/** Counts the conversions of actors, one actor after the other, so that only numbers are kept of each. */
export interface ConversionCollector {
  /**
   * @param events They may be changed afterwards.
   * @param findGroup Returns the group of a conversion; null if it does not count.
   */
  readonly add: (events: ActorEvents, findGroup: (chain: Chain) => GroupValues | null) => void
  readonly answer: () => FunnelAnswer
}

interface Group {
  readonly values: GroupValues
  readonly tally: Tally
}

export const createConversionCollector = (
  question: Pick<FunnelQuestion, 'steps' | 'order' | 'windowMs' | 'exclusions' | 'breakdown' | 'view'>,
): ConversionCollector => {
  const { breakdown, view } = question
  const rules = toRules(question)
  const follow = createFollower(rules)
  const tallies = createTallyRules(view, rules.stepCount)
  const groups = new Map<string, Group>()
  const getTally = (values: GroupValues): Tally => {
    const key = breakdown === null ? '' : JSON.stringify(values)
    const group = groups.get(key) ?? { values, tally: tallies.create() }
    groups.set(key, group)
    return group.tally
  }
  const toGroup = (values: FunnelGroup['values'], tally: Tally): FunnelGroup => ({
    values,
    numbers: tallies.toNumbers(tally),
  })
  // Without a breakdown there is one group, even if no one is in it.
  if (breakdown === null) getTally([])

  return {
    add(events, findGroup) {
      for (const starts of tallies.divideStarts(events)) {
        const chain = follow(events, starts)
        const values = tallies.counts(chain) ? findGroup(chain) : null
        if (values !== null) tallies.add(getTally(values), events, chain)
      }
    },
    answer() {
      const ranked = [...groups.values()].toSorted(
        (a, b) => b.tally.actors - a.tally.actors || compareValues(a.values, b.values),
      )
      const limit = breakdown?.limit ?? 1
      const named = ranked.slice(0, limit).map(({ values, tally }) => toGroup(values, tally))
      if (ranked.length <= limit) return { groups: named }
      const others = tallies.create()
      for (const { tally } of ranked.slice(limit)) addTally(others, tally)
      return { groups: [...named, toGroup('others', others)] }
    },
  }
}

/** The order that the event store gives to texts: by their bytes, missing ones last. */
const compareValues = (a: GroupValues, b: GroupValues): number =>
  a.map((value, index) => compareTexts(value, b[index]!)).find((order) => order !== 0) ?? 0

const compareTexts = (a: string | null, b: string | null): number => {
  if (a === b) return 0
  if (a === null || b === null) return a === null ? 1 : -1
  return Buffer.compare(Buffer.from(a), Buffer.from(b))
}
