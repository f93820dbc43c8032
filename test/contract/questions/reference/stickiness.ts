import type { StickinessAnswer, StickinessQuestion } from '../../../../src/service/insight/question/stickiness.ts'
import type { WorldEvent } from '../world.ts'
import { actorOf } from './actor.ts'
import { matches } from './matches.ts'
import { isIn, periodOf } from './periods.ts'

/** An answer that is computed one event at a time. */
export const answerStickiness = (
  { events, actor, periods, criterion: { operator, value } }: StickinessQuestion,
  all: readonly WorldEvent[],
): StickinessAnswer => {
  /** The number of events of each actor in each period. */
  const counts = new Map<string, number[]>()
  for (const event of all) {
    const name = actorOf(actor, event)
    if (name === null || !isIn(periods.range, event.timestamp)) continue
    if (!matches(events.condition, event, events.matching)) continue
    const ofActor = counts.get(name) ?? periods.starts.map(() => 0)
    ofActor[periodOf(periods, event.timestamp)]! += 1
    counts.set(name, ofActor)
  }
  const isEnough = (count: number): boolean => {
    if (operator === 'exact') return count === value
    return operator === 'gte' ? count >= value : count <= value
  }
  const sizes = [...counts.values()].map((each) => each.filter((count) => count > 0 && isEnough(count)).length)
  return { actors: periods.starts.map((_, index) => sizes.filter((size) => size === index + 1).length) }
}
