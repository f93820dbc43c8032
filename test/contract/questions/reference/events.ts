import type { EventRecord, EventsAnswer, EventsQuestion } from '../../../../src/service/insight/question/events.ts'
import type { JsonObject } from '../../../../src/wire/json.ts'
import { storedEvent } from '../../service-event-store.ts'
import type { WorldEvent } from '../world.ts'
import { matches, textOf } from './matches.ts'

const RECEIVED_AT = storedEvent(0).receivedAt

const compareTexts = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b))

/** An answer that is computed one event at a time. All events of a world were received at the same time. */
export const answerEvents = (question: EventsQuestion, all: readonly WorldEvent[]): EventsAnswer => {
  const { events, range, order, limit, offset } = question
  const { from = -Infinity, before = Infinity } = range
  const isDescending = order[0]?.isDescending === true
  const found = all
    .filter((event) => event.timestamp >= from && event.timestamp < before)
    .filter((event) => matches(events.condition, event, events.matching))
    .toSorted((a, b) => {
      for (const { by, isDescending: isReversed } of [...order, { by: 'uuid' as const, isDescending }]) {
        const differences = {
          timestamp: a.timestamp - b.timestamp,
          created_at: 0,
          event: compareTexts(a.event, b.event),
          distinct_id: compareTexts(a.distinctId, b.distinctId),
          uuid: compareTexts(a.uuid, b.uuid),
        }
        if (differences[by] !== 0) return isReversed ? -differences[by] : differences[by]
      }
      return 0
    })
  const toRecord = (event: WorldEvent): EventRecord => {
    const { uuid, distinctId, timestamp, person, personId } = event
    const groups: JsonObject = Object.keys(event.groups).length === 0 ? {} : { $groups: { ...event.groups } }
    return {
      uuid,
      event: event.event,
      distinctId,
      timestamp,
      receivedAt: RECEIVED_AT,
      properties: question.hasProperties ? { ...event.properties, ...groups } : null,
      person:
        question.hasPersons && person !== null
          ? { of: 'person', id: personId, isIdentified: true, distinctIds: [distinctId], ...person }
          : null,
      texts: question.texts.map((text) => textOf(text, event)),
    }
  }
  return { events: found.slice(offset, offset + limit).map(toRecord), hasMore: found.length > offset + limit }
}
