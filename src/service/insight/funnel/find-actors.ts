import { isDeepStrictEqual } from 'node:util'
import { QueryError } from '../../indexer/query-error.ts'
import type { FunnelPoint } from '../question/funnel.ts'
import type { ActorEvents, Chain } from './actor-events.ts'
import { hasStep, toRules } from './actor-events.ts'
import type { ConversionCollector, GroupPlace } from './collect-conversions.ts'
import { createFollower } from './create-follower.ts'

/** Most actors of a point: each id takes about 100 bytes. */
const MAX_ACTORS = 1_000_000

/** Most actors have a few events. */
const ACTORS_PER_YIELD = 256

/** Finds the ids of the actors whose conversions are those of a point. */
export const createActorFinder = (point: FunnelPoint): ConversionCollector<readonly string[]> =>
  createPointCollector(
    point,
    () => null,
    (found) => [...found.keys()],
  )

/**
 * Collects something of each actor whose conversion is one of a point.
 *
 * @param read Reads it from the events of the conversion.
 * @param toAnswer Gets what was read by the ids of the actors.
 */
export const createPointCollector = <Value, Answer>(
  { question, doneStep, missedStep, group }: FunnelPoint,
  read: (events: ActorEvents, chain: Chain) => Value,
  toAnswer: (found: ReadonlyMap<string, Value>) => Answer,
): ConversionCollector<Answer> => {
  const { breakdown } = question
  const follower = createFollower(toRules(question))
  const found = new Map<string, Value>()
  let nameCount = 0
  let actorCount = 0
  // The group is none of those that have a name, unless it is named.
  let wanted: GroupPlace = group === 'others' ? 'others' : null

  return {
    readsActors: true,
    nameGroup(values) {
      if (isDeepStrictEqual(values, group)) wanted = nameCount
      nameCount += 1
    },
    *add(events, readActor, findPlace) {
      actorCount += 1
      if (actorCount % ACTORS_PER_YIELD === 0) yield
      follower.begin(events, { from: 0, before: events.count })
      while (follower.advance()) yield
      const chain = follower.chain()
      if (!hasStep(chain, doneStep) || (missedStep !== null && hasStep(chain, missedStep))) return
      if (breakdown !== null) {
        // An actor without a group is not in the answer of the funnel either.
        const place = findPlace(chain)
        if (place === null || (group !== null && place !== wanted)) return
      }
      found.set(readActor(), read(events, chain))
      if (found.size > MAX_ACTORS)
        throw new QueryError(
          'memory',
          `The step has more than ${MAX_ACTORS} persons or groups. Ask for a shorter range of dates.`,
        )
    },
    *answer() {
      yield
      return toAnswer(found)
    },
  }
}
