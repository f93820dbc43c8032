import type { FilterContext } from '../filter/filter-context.ts'
import { FilterError } from '../filter/filter-error.ts'
import type { EventRecord, EventsQuestion } from '../question/events.ts'
import type { PropertyReference } from '../question/subject.ts'
import { toIsoTime } from '../../to-iso-time.ts'

/** What the columns of a query need of events, and how a row is read from one. */
export interface EventColumns extends Pick<EventsQuestion, 'hasProperties' | 'hasPersons' | 'texts'> {
  readonly readRow: (event: EventRecord) => readonly unknown[]
}

/** One column. */
interface Column {
  readonly needs?: 'properties' | 'person'
  readonly read: (event: EventRecord) => unknown
}

const PROPERTY = /^(person\.)?properties\.([^]+)$/

/** The person of an event as clients of the protocol read it; of one that has created no person, its distinct id alone. */
const toPerson = ({ distinctId, person }: EventRecord): object => ({
  ...(person !== null && { uuid: person.id, created_at: toIsoTime(person.createdAt), properties: person.properties }),
  distinct_id: distinctId,
})

/** Parses the names of columns. Throws `FilterError`. */
export const parseEventColumns = (names: readonly string[], { projectId }: FilterContext): EventColumns => {
  const toObject = (record: EventRecord): object => {
    const { uuid, event, properties, timestamp, receivedAt, distinctId } = record
    return {
      uuid,
      event,
      properties,
      timestamp: toIsoTime(timestamp),
      team_id: projectId,
      distinct_id: distinctId,
      elements_chain: properties?.['$elements_chain'] ?? '',
      created_at: toIsoTime(receivedAt),
    }
  }
  const known = new Map<string, Column>([
    ['*', { needs: 'properties', read: toObject }],
    ['event', { read: ({ event }) => event }],
    ['uuid', { read: ({ uuid }) => uuid }],
    ['timestamp', { read: ({ timestamp }) => toIsoTime(timestamp) }],
    ['created_at', { read: ({ receivedAt }) => toIsoTime(receivedAt) }],
    ['distinct_id', { read: ({ distinctId }) => distinctId }],
    ['properties', { needs: 'properties', read: ({ properties }) => properties }],
    ['person', { needs: 'person', read: toPerson }],
  ])
  const texts: PropertyReference[] = []
  const columns = names.map((name, index): Column => {
    const [, person, key] = PROPERTY.exec(name) ?? []
    const column = known.get(name)
    if (column !== undefined) return column
    if (key === undefined)
      throw new FilterError(
        `query.select[${index}]`,
        `must be one of ${[...known.keys()].join(', ')}, properties.… and person.properties.…`,
      )
    const place = texts.push({ source: { of: person === undefined ? 'event' : 'person' }, name: key }) - 1
    return { read: (event) => event.texts[place] }
  })
  return {
    hasProperties: columns.some(({ needs }) => needs === 'properties'),
    hasPersons: columns.some(({ needs }) => needs === 'person'),
    texts,
    readRow: (event) => columns.map(({ read }) => read(event)),
  }
}
