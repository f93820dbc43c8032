import { actorOf as actorOfPoint } from '../../../../src/service/insight/question/actors.ts'
import type {
  ActorPoint,
  ActorRecord,
  ActorsAnswer,
  ActorsQuestion,
  PointGroup,
  TrendPoint,
} from '../../../../src/service/insight/question/actors.ts'
import type { JsonObject } from '../../../../src/wire/json.ts'
import type { WorldEvent } from '../world.ts'
import { actorOf } from './actor.ts'
import { findFunnelActors } from './funnel.ts'
import { answerLifecycle } from './lifecycle.ts'
import { findPathActors } from './paths.ts'
import { answerRetention } from './retention.ts'
import { answerStickiness } from './stickiness.ts'
import { matches, textOf } from './matches.ts'
import { isIn } from './periods.ts'

const isInGroup = ({ properties, values, isAmong }: PointGroup, event: WorldEvent): boolean => {
  const texts = properties.map((property) => textOf(property, event))
  return values.some((each) => each.every((value, place) => value === texts[place])) === isAmong
}

/** The ids of the actors of a point of a trend. */
const idsOfTrend = (point: TrendPoint, all: readonly WorldEvent[]): ReadonlySet<string> => {
  const { events, range, actor, firstAmong, group } = point
  const isPoint = (event: WorldEvent): boolean =>
    matches(events.condition, event, events.matching) &&
    isIn(range, event.timestamp) &&
    (group === null || isInGroup(group, event))
  const ids = new Set<string>()
  for (const event of all) {
    const id = actorOf(actor, event)
    if (id === null || !isPoint(event)) continue
    const rivals =
      firstAmong === null
        ? []
        : all.filter((each) => actorOf(actor, each) === id && matches(firstAmong, each, events.matching))
    const isFirst = ({ timestamp, uuid }: WorldEvent): boolean =>
      event.timestamp < timestamp || (event.timestamp === timestamp && event.uuid <= uuid)
    if (firstAmong === null || (rivals.includes(event) && rivals.every(isFirst))) ids.add(id)
  }
  return ids
}

/** The ids of the actors of a point: those whose events alone have the answer that one of them has. */
const idsOf = (point: ActorPoint, all: readonly WorldEvent[]): ReadonlySet<string> => {
  if (point.kind === 'trend') return idsOfTrend(point, all)
  if (point.kind === 'funnel') return new Set(findFunnelActors(point, all))
  if (point.kind === 'paths') return new Set(findPathActors(point, all))
  const { actor } = point.question
  const ids = new Set(all.map((event) => actorOf(actor, event)).filter((id) => id !== null))
  const isOne = (own: readonly WorldEvent[]): boolean => {
    switch (point.kind) {
      case 'stickiness':
        return answerStickiness(point.question, own)
          .actors.slice(point.least - 1, point.most)
          .includes(1)
      case 'lifecycle':
        return answerLifecycle(point.question, own)[point.status][point.period - 1] === 1
      default:
        return answerRetention(point.question, own).groups[0]!.cohorts[point.period]![0] === 1
    }
  }
  return new Set([...ids].filter((id) => isOne(all.filter((event) => actorOf(actor, event) === id))))
}

const compareTexts = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b))

/** What is known of all persons, or of all groups of a type, with an event of each person. */
const recordsOf = (
  { of }: ActorsQuestion,
  all: readonly WorldEvent[],
): ReadonlyMap<string, { readonly record: ActorRecord; readonly events: readonly WorldEvent[] }> => {
  const records = new Map<string, { record: ActorRecord; events: readonly WorldEvent[] }>()
  for (const event of all) {
    const { personId, person, groups, groupProperties } = event
    const actor = actorOfPoint(of)
    if (actor.of !== 'group') {
      if (person === null) continue
      const events = all.filter((each) => each.personId === personId)
      const distinctIds = [...new Set(events.map(({ distinctId }) => distinctId))].toSorted(compareTexts)
      const record = { of: 'person' as const, id: personId, isIdentified: true, distinctIds, ...person }
      records.set(personId, { record, events })
    } else {
      const { type } = actor
      const key = groups[type]
      const properties = groupProperties[type]
      if (key === undefined || properties === undefined) continue
      records.set(key, { record: { of: 'group', type, key, properties, createdAt: 1 }, events: [] })
    }
  }
  return records
}

const textsOf = (record: ActorRecord): readonly unknown[] => {
  const properties: JsonObject = record.properties
  const own = record.of === 'person' ? [record.id, ...record.distinctIds] : [record.key]
  return [...own, properties['email'], properties['name']]
}

/** An answer that is computed one event at a time. */
export const answerActors = (question: ActorsQuestion, all: readonly WorldEvent[]): ActorsAnswer => {
  const { of, persons, search, order, limit, offset } = question
  const records = recordsOf(question, all)
  const ids = of.kind === 'all' ? null : idsOf(of, all)
  const isFound = (record: ActorRecord): boolean =>
    search === null ||
    textsOf(record).some((text) => typeof text === 'string' && text.toLowerCase().includes(search.toLowerCase()))
  const found = [...records]
    .filter(([id]) => ids === null || ids.has(id))
    .filter(([, { record }]) => isFound(record))
    .filter(
      ([, { record, events }]) =>
        record.of === 'group' || events.some((event) => matches(persons.condition, event, persons.matching)),
    )
    .toSorted(([a, { record: ofA }], [b, { record: ofB }]) => {
      for (const { by, isDescending } of order) {
        const difference = by === 'id' ? compareTexts(a, b) : ofA.createdAt - ofB.createdAt
        if (difference !== 0) return isDescending ? -difference : difference
      }
      return compareTexts(a, b)
    })
    .map(([, { record }]) => record)
  return {
    actors: found.slice(offset, offset + limit),
    hasMore: found.length > offset + limit,
    missingCount: ids === null ? 0 : [...ids].filter((id) => !records.has(id)).length,
  }
}
