import type { JsonObject } from '../../../../../wire/json.ts'
import { isRecord } from '../../../../../wire/json.ts'
import { QueryError } from '../../../../indexer/query-error.ts'
import { contains, listNodes, textOf } from './syntax-tree.ts'

// Arguments that DuckDB takes only as constants, so that they cannot be parameters of the macros of `bound-values.ts`. They are checked in
// the syntax tree instead.

/** Bytes that one character of a format of `strftime` may make: `%c` makes 19. */
const FORMAT_FACTOR = 10

/** However many calls share the limit, each format may have this many characters. */
const MIN_FORMAT_LENGTH = 32

/** Longest text between the elements of a list that becomes a text. An element takes as much memory itself. */
const MAX_SEPARATOR_LENGTH = 16

/** Functions that apply an aggregate, whose name they are given, to a list. */
const AGGREGATE_CALLS = new Set(['list_aggregate', 'list_aggr', 'array_aggregate', 'array_aggr', 'aggregate'])

export const isAggregateCall = (node: JsonObject): boolean =>
  AGGREGATE_CALLS.has(textOf(node['function_name']).toLowerCase())

/**
 * The place of an argument in a call. The first argument may also stand before the call, as a table or schema would:
 * `tags.list_aggregate('max')`.
 */
const placeOf = (call: JsonObject, place: number): number =>
  ['', 'main', 'system'].includes(textOf(call['schema']).toLowerCase()) ? place : place - 1

/** The aggregate that a call applies to a list: its second argument; null if that is no text in quotes. */
export const aggregateOf = (call: JsonObject): string | null => {
  const name = listNodes(call['children'])[placeOf(call, 1)]
  return name === undefined ? null : textOfConstant(name)
}

/** Throws `QueryError` if a call that applies an aggregate to a list gives it a long text, such as a separator, or one that is computed. */
export const checkAggregateCall = (call: JsonObject): void => {
  const name = textOf(call['function_name'])
  for (const argument of listNodes(call['children']).slice(placeOf(call, 2))) {
    if (contains(argument, (part) => isRecord(part) && part['class'] === 'FUNCTION' && !isOfLiterals(part)))
      throw new QueryError(
        'forbidden',
        `A query may give ${name} only numbers and texts in quotes behind the aggregate.`,
      )
    if (contains(argument, (part) => isRecord(part) && (textOfConstant(part)?.length ?? 0) > MAX_SEPARATOR_LENGTH))
      throw new QueryError('memory', `A text between elements may have ${MAX_SEPARATOR_LENGTH} characters in ${name}.`)
  }
}

/** Lists and negative numbers. */
const isOfLiterals = (call: JsonObject): boolean => ['list_value', '-'].includes(textOf(call['function_name']))

/** Throws `QueryError` if the format of a call of `strftime`, which is its first or its second argument, is computed or may make too much. */
export const checkFormat = (call: JsonObject, maxBytes: number): void => {
  const formats = listNodes(call['children']).flatMap((arg) => textOfConstant(arg) ?? [])
  if (formats.length === 0) throw new QueryError('forbidden', 'A query may use strftime only with a format in quotes.')
  const maxLength = Math.max(MIN_FORMAT_LENGTH, Math.floor(maxBytes / FORMAT_FACTOR))
  if (formats.some((format) => format.length > maxLength))
    throw new QueryError(
      'memory',
      `A value would be too large: the format of strftime may have ${maxLength} characters here.`,
    )
}

const textOfConstant = ({ value }: JsonObject): string | null =>
  isRecord(value) && typeof value['value'] === 'string' ? value['value'] : null
