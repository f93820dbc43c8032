import type { Work } from '../../work-in-chunks.ts'
import type { FunnelAnswer, FunnelGroup, FunnelQuestion } from '../question/funnel.ts'
import type { GroupValues } from '../question/trend.ts'
import type { ActorEvents, Chain } from './actor-events.ts'
import { toRules } from './actor-events.ts'
import { createFollower } from './create-follower.ts'
import type { Tally } from './tally.ts'
import { createTallyRules } from './tally.ts'

/** The place of a conversion's group in the order of their names; null for a conversion that does not count. */
export type GroupPlace = number | 'others' | null

/** Counts the conversions of actors, one actor after the other, so that only numbers are kept of each. */
export interface ConversionCollector<Answer = FunnelAnswer> {
  /** Whether it reads the ids of actors. */
  readonly readsActors: boolean
  /** Names the next group; called before any conversion of it. Without a breakdown the only group has its name. */
  readonly nameGroup: (values: GroupValues) => void
  /**
   * @param events They may be changed after the work.
   * @param readActor Reads the id of the actor.
   * @param findPlace Called where there is a breakdown.
   */
  readonly add: (events: ActorEvents, readActor: () => string, findPlace: (chain: Chain) => GroupPlace) => Work
  readonly answer: () => Work<Answer>
}

interface Group {
  readonly values: FunnelGroup['values']
  /** Null before its first conversion. */
  tally: Tally | null
}

/** Most ranges are of a few events. */
const RANGES_PER_YIELD = 256

export const createConversionCollector = (
  question: Pick<
    FunnelQuestion,
    'steps' | 'optionalSteps' | 'order' | 'windowMs' | 'exclusions' | 'breakdown' | 'view'
  >,
): ConversionCollector => {
  const { breakdown, view } = question
  const rules = toRules(question)
  const follower = createFollower(rules)
  let rangeCount = 0
  const tallies = createTallyRules(view, rules.stepCount)
  // Without a breakdown there is one group, even if no one is in it.
  const named: Group[] = breakdown === null ? [{ values: [], tally: tallies.create() }] : []
  const others: Group = { values: 'others', tally: null }

  return {
    readsActors: false,
    nameGroup(values) {
      named.push({ values, tally: null })
    },
    *add(events, _readActor, findPlace) {
      for (const starts of tallies.divideStarts(events)) {
        rangeCount += 1
        if (rangeCount % RANGES_PER_YIELD === 0) yield
        follower.begin(events, starts)
        while (follower.advance()) yield
        const chain = follower.chain()
        const place = tallies.counts(chain) ? (breakdown === null ? 0 : findPlace(chain)) : null
        if (place === null) continue
        const group = place === 'others' ? others : named[place]!
        group.tally ??= tallies.create()
        tallies.add(group.tally, events, chain)
      }
    },
    *answer() {
      const groups: FunnelGroup[] = []
      for (const { values, tally } of [...named.toSorted(compareGroups), others])
        if (tally !== null) groups.push({ values, numbers: yield* tallies.toNumbers(tally) })
      return { groups }
    },
  }
}

/** The order of groups: those with the most actors first. Groups of the same number keep their order. */
const compareGroups = (a: Group, b: Group): number => (b.tally?.actors ?? 0) - (a.tally?.actors ?? 0)
