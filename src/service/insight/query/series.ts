import type { Json } from '../../../wire/json.ts'
import type { Static } from 'typebox'
import type { Condition } from '../filter/condition.ts'
import { combine, MATCH_ALL } from '../filter/condition.ts'
import type { FilterContext } from '../filter/filter-context.ts'
import { parseFilters } from '../filter/parse-filters.ts'
import type { EventsNode } from '../schema/fields.ts'

/** A node of a query as clients send it. */
export type EventsNodeInput = Static<typeof EventsNode>

/** The events of one series. */
export interface Series {
  /** Its index in the query. */
  readonly order: number
  readonly node: EventsNodeInput
  /** By the name of the event alone. */
  readonly named: Condition
  /** By the name and all filters, those of the query included. */
  readonly condition: Condition
}

/** What people call a node. */
export const nameOf = ({ custom_name: customName, name, event }: EventsNodeInput): string =>
  customName || name || event || 'All events'

/** A series as the results of the protocol repeat it. */
export const describeSeries = ({ order, node }: Series) => ({
  id: node.event ?? null,
  type: 'events',
  order,
  name: node.name ?? node.event ?? 'All events',
  custom_name: node.custom_name ?? null,
  math: node.math ?? null,
})

/** Throws `FilterError`. */
export const parseSeries = (
  node: EventsNodeInput,
  order: number,
  queryFilters: Condition,
  context: FilterContext,
  path = `query.series[${order}]`,
): Series => {
  const named: Condition =
    node.event === undefined || node.event === null ? MATCH_ALL : { kind: 'event_name', name: node.event }
  const parse = (filters: unknown, field: string): Condition =>
    parseFilters(filters as Json | undefined, `${path}.${field}`, context)
  const filters = [parse(node.properties, 'properties'), parse(node.fixedProperties, 'fixedProperties'), queryFilters]
  return { order, node, named, condition: combine('all', [named, ...filters]) }
}
