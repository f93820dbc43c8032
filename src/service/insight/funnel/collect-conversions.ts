import type { Work } from '../../work-in-chunks.ts'
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
   * @param events They may be changed after the work.
   * @param findGroup Returns the group of a conversion, null if it does not count; called where there is a breakdown.
   */
  readonly add: (events: ActorEvents, findGroup: (chain: Chain) => GroupValues | null) => Work
  readonly answer: () => Work<FunnelAnswer>
}

interface Group {
  readonly values: GroupValues
  readonly tally: Tally
}

/** Most ranges are of a few events. */
const RANGES_PER_YIELD = 256

export const createConversionCollector = (
  question: Pick<FunnelQuestion, 'steps' | 'order' | 'windowMs' | 'exclusions' | 'breakdown' | 'view'>,
): ConversionCollector => {
  const { breakdown, view } = question
  const rules = toRules(question)
  const follower = createFollower(rules)
  let rangeCount = 0
  const tallies = createTallyRules(view, rules.stepCount)
  const groups = new Map<string, Group>()
  const addGroup = (key: string, values: GroupValues): Tally => {
    const tally = tallies.create()
    groups.set(key, { values, tally })
    return tally
  }
  // Without a breakdown there is one group, even if no one is in it.
  const everyone = breakdown === null ? addGroup('', []) : null
  const getTally = (values: GroupValues): Tally => {
    const key = JSON.stringify(values)
    return groups.get(key)?.tally ?? addGroup(key, values)
  }
  const toGroup = function* (values: FunnelGroup['values'], tally: Tally): Work<FunnelGroup> {
    return { values, numbers: yield* tallies.toNumbers(tally) }
  }

  return {
    *add(events, findGroup) {
      for (const starts of tallies.divideStarts(events)) {
        rangeCount += 1
        if (rangeCount % RANGES_PER_YIELD === 0) yield
        follower.begin(events, starts)
        while (follower.advance()) yield
        const chain = follower.chain()
        if (!tallies.counts(chain)) continue
        const values = everyone === null ? findGroup(chain) : null
        const tally = values === null ? everyone : getTally(values)
        if (tally !== null) tallies.add(tally, events, chain)
      }
    },
    *answer() {
      const ranked = [...groups.values()].toSorted(
        (a, b) => b.tally.actors - a.tally.actors || compareValues(a.values, b.values),
      )
      const limit = breakdown?.limit ?? 1
      const named: FunnelGroup[] = []
      for (const { values, tally } of ranked.slice(0, limit)) named.push(yield* toGroup(values, tally))
      if (ranked.length <= limit) return { groups: named }
      const others = tallies.create()
      for (const { tally } of ranked.slice(limit)) addTally(others, tally)
      return { groups: [...named, yield* toGroup('others', others)] }
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
