import type {
  LifecycleAnswer,
  LifecycleQuestion,
  LifecycleStatus,
} from '../../../../src/service/insight/question/lifecycle.ts'
import type { Actor } from '../../../../src/service/insight/question/subject.ts'
import { GROUP_CREATED_AT } from '../world.ts'
import type { WorldEvent } from '../world.ts'
import { actorOf } from './actor.ts'
import { compareEvents } from './compare.ts'
import { matches } from './matches.ts'
import { isIn, periodOf } from './periods.ts'

/** An answer that is computed one actor and period at a time. */
export const answerLifecycle = (
  { events, actor, periods }: LifecycleQuestion,
  all: readonly WorldEvent[],
): LifecycleAnswer => {
  const names = new Set(all.map((event) => actorOf(actor, event)).filter((name) => name !== null))
  const statusesIn = (index: number): readonly (LifecycleStatus | null)[] =>
    [...names].map((name) => {
      const own = all.filter((event) => actorOf(actor, event) === name)
      const isActiveIn = (period: number): boolean =>
        own.some(
          (event) =>
            isIn(periods.range, event.timestamp) &&
            periodOf(periods, event.timestamp) === period &&
            matches(events.condition, event, events.matching),
        )
      if (!isActiveIn(index)) return isActiveIn(index - 1) ? 'dormant' : null
      const created = createdAt(actor, own)
      if (isIn(periods.range, created) && periodOf(periods, created) === index) return 'new'
      return isActiveIn(index - 1) ? 'returning' : 'resurrecting'
    })
  const statuses = periods.starts.slice(1).map((_, index) => statusesIn(index + 1))
  const count = (status: LifecycleStatus): readonly number[] =>
    statuses.map((each) => each.filter((found) => found === status).length)
  return {
    new: count('new'),
    returning: count('returning'),
    resurrecting: count('resurrecting'),
    dormant: count('dormant'),
  }
}

/** When an actor was created: a person or group that is not stored, and a session, with its first event. */
const createdAt = (actor: Actor, own: readonly WorldEvent[]): number => {
  const first = own.toSorted(compareEvents)[0]!
  if (actor.of === 'person') return first.person?.createdAt ?? first.timestamp
  const isStored = actor.of === 'group' && first.groupProperties[actor.type] !== undefined
  return isStored ? GROUP_CREATED_AT : first.timestamp
}
