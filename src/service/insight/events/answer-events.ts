import type { Json } from '../../../wire/json.ts'
import { combine, MATCH_ALL } from '../filter/condition.ts'
import type { Condition } from '../filter/condition.ts'
import type { FilterContext } from '../filter/filter-context.ts'
import { FilterError } from '../filter/filter-error.ts'
import { parseFilters } from '../filter/parse-filters.ts'
import { parseQueryFilters, toSelection } from '../query/base.ts'
import { parseOrder } from '../query/order.ts'
import { EVENT_ORDERS } from '../question/events.ts'
import type { EventRecord, EventsQuestion } from '../question/events.ts'
import type { Ask } from '../question/questions.ts'
import type { EventsQuery } from '../schema/events-query.ts'
import type { DateRange } from '../time/date-range.ts'
import { parseDateRange } from '../time/date-range.ts'
import { askShorter, endPage, showProperties, showText } from '../show-page.ts'
import { parseEventColumns } from './read-event-columns.ts'

/** The answer to a query of events, as clients of the protocol read it. */
export interface EventsResult {
  readonly results: readonly (readonly unknown[])[]
  readonly columns: readonly string[]
  readonly limit: number
  readonly offset: number
  readonly hasMore: boolean
}

const DEFAULT_LIMIT = 100
const DEFAULT_AFTER = '-24h'

/** Clocks of clients that send events may be this much ahead. */
const AHEAD_MS = 5_000

/** Answers a query of events. Throws `FilterError`; rejects with `QueryError`. */
export const answerEventsQuery = async (
  query: EventsQuery,
  context: FilterContext,
  ask: Ask,
): Promise<EventsResult> => {
  refuse(query)
  const { readRow, ...columns } = parseEventColumns(query.select, context)
  const rows = parseEventRows(query, context)
  const answer = await askShorter(rows.limit, (limit) => ask('events', { ...columns, ...rows, limit }))
  const shown = answer.events.map((event) => readRow(showEvent(event)))
  const results = endPage(shown)
  const hasMore = answer.hasMore || results.length < shown.length
  // Clients ask for the next page from `offset` and `limit`.
  const limit = hasMore ? results.length : rows.limit
  return { results, columns: query.select, limit, offset: rows.offset, hasMore }
}

/** An event with long values cut. */
export const showEvent = (event: EventRecord): EventRecord => ({
  ...event,
  event: showText(event.event),
  distinctId: showText(event.distinctId),
  properties: event.properties && showProperties(event.properties),
  person: event.person && { ...event.person, properties: showProperties(event.person.properties) },
  texts: event.texts.map((text) => text && showText(text)),
})

/** Parses which events a query asks, besides what it reads of them. Throws `FilterError`. */
export const parseEventRows = (
  query: Omit<EventsQuery, 'kind' | 'select'>,
  context: FilterContext,
): Pick<EventsQuestion, 'events' | 'range' | 'order' | 'limit' | 'offset'> => ({
  events: toSelection(parseCondition(query, context), context),
  range: parseRange(query, context),
  order: parseOrder(query.orderBy, EVENT_ORDERS, { by: 'timestamp', isDescending: true }),
  limit: query.limit ?? DEFAULT_LIMIT,
  offset: query.offset ?? 0,
})

const REFUSED = ['where', 'actionId', 'source'] as const

/** Throws `FilterError` for fields whose answer would need what this service does not have. */
const refuse = (query: EventsQuery): void => {
  for (const name of REFUSED) {
    const value = query[name]
    const isEmpty = value === undefined || value === null || (Array.isArray(value) && value.length === 0)
    if (!isEmpty) throw new FilterError(`query.${name}`, 'must be null: it is not supported; use "properties"')
  }
}

const parseCondition = (query: Omit<EventsQuery, 'kind' | 'select'>, context: FilterContext): Condition => {
  const { event, personId, fixedProperties } = query
  return combine('all', [
    event ? { kind: 'event_name', name: event } : MATCH_ALL,
    personId ? { kind: 'event_field', field: 'person_id', value: personId } : MATCH_ALL,
    parseFilters(fixedProperties as Json | undefined, 'query.fixedProperties', context),
    parseQueryFilters(query, context),
  ])
}

const parseRange = ({ after, before }: Pick<EventsQuery, 'after' | 'before'>, context: FilterContext): DateRange => {
  const from = parseTime(after || DEFAULT_AFTER, 'query.after', context)
  const end = before ? parseTime(before, 'query.before', context) : context.now + AHEAD_MS
  return { ...(from !== undefined && { from }), ...(end !== undefined && { before: end }) }
}

/** Undefined for `all`. Throws `FilterError`. */
const parseTime = (value: string, path: string, context: FilterContext): number | undefined => {
  try {
    return parseDateRange({ date_from: value }, '', context).from
  } catch (error) {
    throw error instanceof FilterError ? new FilterError(path, error.message.slice(error.path.length + 1)) : error
  }
}
