import type { Json, JsonObject } from '../../../../../wire/json.ts'
import { isRecord } from '../../../../../wire/json.ts'
import { quoteIdentifier } from '../../../../sql/quote.ts'
import { HOT_PROPERTIES } from '../../hot-properties.ts'
import { COUNT_COLUMN } from '../event-table/event-counts.ts'
import { DATE_TRUNC_NAMES } from './fast-date-trunc.ts'
import { hasUnicodeSpaces } from './replace-unicode-spaces.ts'
import type { RewrittenSql } from './rewrite-arrows.ts'
import { contains, isReference, listNames, listNodes, nodeOf, textOf } from './syntax-tree.ts'

/** What `count(*)` becomes: the type of its result stays. */
const SUM = `CAST(COALESCE(sum(${quoteIdentifier(COUNT_COLUMN)}), 0) AS BIGINT)`

/** How DuckDB names a column with `count(*)`; it names one with `SUM` as that is written. */
const NAME_OF_COUNT = 'count_star()'

/** Units of time that consist of whole quarters of an hour in UTC. */
const UNITS = new Set(['hour', 'day', 'week', 'month', 'quarter', 'year'])

/** A time that begins a quarter of an hour in UTC, the zone of all times without one. */
const START_OF_QUARTER = /^\d{4}-\d{2}-\d{2}(?:[ T]\d{2}:(?:00|15|30|45)(?::00(?:\.0+)?)?(?:Z|\+00(?::00)?)?)?$/

/** Types of a time as SQL writes it: `DATE '2026-01-01'`. */
const TIME_TYPES = new Set(['DATE', 'TIMESTAMP', 'TIMESTAMP WITH TIME ZONE'])

/** Names that mean a column of `events`, even if a column of the result has the same one. */
const EVENT_COLUMNS: ReadonlySet<string> = new Set([
  'uuid',
  'distinct_id',
  'person_id',
  'timestamp',
  'received_at',
  'historical',
  'properties',
  COUNT_COLUMN,
  ...HOT_PROPERTIES.map((property) => property.toLowerCase()),
])

/**
 * Writes a SELECT so that it reads a table of counts with the name `events` (`selectEventCounts`), if it asks how many events there are by name
 * or time: that is, if it reads nothing but `event` and whole units of `timestamp`, and computes nothing but `count(*)`. Null for every other
 * SELECT.
 */
export const rewriteToCounts = (sql: string, tree: Json): RewrittenSql | null => {
  const node = nodeOf(tree)
  if (node === null || !readsEventsAlone(node) || hasUnicodeSpaces(sql)) return null
  const aliases = listNodes(node['select_list'])
    .map(({ alias }) => textOf(alias).toLowerCase())
    .filter((alias) => alias !== '')
  if (aliases.some((alias) => EVENT_COLUMNS.has(alias) || meansRow(alias, node))) return null
  // Without a column, DuckDB knows the number of rows.
  if (!contains(node, isReference)) return null
  const names = new Set(aliases)
  const countOffsets: number[] = []
  const { select_list, where_clause, group_expressions, having, modifiers } = node
  const canUseCounts = [select_list, where_clause, group_expressions, having, modifiers].every((part) =>
    visit(part, names, countOffsets),
  )
  const rewritten = canUseCounts ? replaceCounts(sql, countOffsets) : null
  return rewritten === null ? null : { sql: rewritten, restoreName: (column) => column.replaceAll(SUM, NAME_OF_COUNT) }
}

/** Whether a name means a whole row of the table. */
const meansRow = (name: string, { from_table: table }: JsonObject): boolean =>
  name === 'events' || (isRecord(table) && textOf(table['alias']).toLowerCase() === name)

/** Whether a SELECT has no other source than the table `events`. */
const readsEventsAlone = ({ type, cte_map: ctes, from_table: table, sample, qualify }: JsonObject): boolean =>
  type === 'SELECT_NODE' &&
  sample === null &&
  qualify === null &&
  isRecord(ctes) &&
  listNodes(ctes['map']).length === 0 &&
  isRecord(table) &&
  table['type'] === 'BASE_TABLE' &&
  textOf(table['table_name']).toLowerCase() === 'events' &&
  table['sample'] === null &&
  listNames(table['column_name_alias']).length === 0

/**
 * Visits a part of the tree; false if a table of counts may not answer it.
 *
 * @param aliases of the columns of the result, in lower case.
 * @param countOffsets gets the places of `count(*)`.
 */
const visit = (part: Json | undefined, aliases: ReadonlySet<string>, countOffsets: number[]): boolean => {
  if (Array.isArray(part)) return part.every((item) => visit(item, aliases, countOffsets))
  if (!isRecord(part)) return true
  switch (part['class']) {
    case 'COLUMN_REF': {
      const names = listNames(part['column_names']).map((name) => name.toLowerCase())
      const name = names.at(-1)!
      return name === 'event' || (names.length === 1 && aliases.has(name))
    }
    case 'FUNCTION':
      if (isCount(part)) countOffsets.push(Number(part['query_location']))
      else if (!isWholeUnit(part)) return false
      return true
    case 'COMPARISON':
      if (comparesWithQuarterStart(part)) return true
      break
    case 'CONSTANT':
    case 'CONJUNCTION':
    case 'OPERATOR':
    // A clause such as ORDER BY, whose parts are expressions.
    case undefined:
      break
    default:
      return false
  }
  return Object.values(part).every((inner) => visit(inner, aliases, countOffsets))
}

const isCount = (node: JsonObject): boolean => node['function_name'] === 'count_star' && isPlain(node)

/** Whether a call has no FILTER, DISTINCT, ORDER BY or schema. */
const isPlain = ({ filter, distinct, order_bys: order, schema, catalog }: JsonObject): boolean =>
  filter === null &&
  distinct === false &&
  schema === '' &&
  catalog === '' &&
  isRecord(order) &&
  listNodes(order['orders']).length === 0

/** `date_trunc('day', timestamp)` */
const isWholeUnit = (node: JsonObject): boolean => {
  const [unit, time, ...others] = listNodes(node['children'])
  return (
    DATE_TRUNC_NAMES.has(textOf(node['function_name']).toLowerCase()) &&
    isPlain(node) &&
    others.length === 0 &&
    UNITS.has(textOfConstant(unit).toLowerCase()) &&
    isTimestamp(time)
  )
}

/** `timestamp >= '2026-01-01'`, or `<`. */
const comparesWithQuarterStart = ({ type, left, right }: JsonObject): boolean =>
  (type === 'COMPARE_GREATERTHANOREQUALTO' || type === 'COMPARE_LESSTHAN') &&
  isTimestamp(left) &&
  START_OF_QUARTER.test(textOfConstant(isTime(right) ? right['child'] : right))

const isTimestamp = (node: Json | undefined): boolean =>
  isRecord(node) && isReference(node) && listNames(node['column_names']).at(-1)?.toLowerCase() === 'timestamp'

const isTime = (node: Json | undefined): node is JsonObject =>
  isRecord(node) &&
  node['class'] === 'CAST' &&
  isRecord(node['cast_type']) &&
  TIME_TYPES.has(textOf(node['cast_type']['id']))

/** The string that a constant is; empty for any other node. */
const textOfConstant = (node: Json | undefined): string =>
  isRecord(node) && node['class'] === 'CONSTANT' && isRecord(node['value']) ? textOf(node['value']['value']) : ''

/** Replaces `count(*)` at these places, in bytes from the start; null if there is none, or if one is written in another way. */
const replaceCounts = (sql: string, offsets: readonly number[]): string | null => {
  const bytes = Buffer.from(sql)
  const parts: string[] = []
  let end = 0
  for (const offset of [...new Set(offsets)].sort((a, b) => a - b)) {
    const [call] = /^count\s*\(\s*\*?\s*\)/i.exec(bytes.subarray(offset).toString()) ?? []
    if (call === undefined) return null
    parts.push(bytes.subarray(end, offset).toString(), SUM)
    end = offset + call.length
  }
  return parts.length === 0 ? null : parts.join('') + bytes.subarray(end).toString()
}
