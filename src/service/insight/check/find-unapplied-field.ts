import type { TSchema } from 'typebox'
import { isRecord } from '../../../wire/json.ts'
import type { Json, JsonObject } from '../../../wire/json.ts'
import { AGGREGATE_NAMES } from '../trends/parse-measure.ts'
import { findFirst } from './find-first.ts'

/** A field that would change the numbers of an answer, but is not applied where it is. */
export interface UnappliedField {
  readonly path: string
  /** Continues the path: "must be missing: …". */
  readonly rule: string
}

/** Whether a field says something. */
const isSet = (value: Json | undefined): boolean =>
  value !== undefined &&
  value !== null &&
  value !== '' &&
  value !== false &&
  !(Array.isArray(value) && value.length === 0)

const asRecord = (value: Json | undefined): JsonObject => (isRecord(value) ? value : {})

const asList = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? (value as readonly Json[]) : [])

type NamedSchemas = Readonly<Record<string, TSchema>>

/** A condition on an object of a query under which one of its fields would be ignored. */
interface Rule {
  readonly field: string
  readonly isUnapplied: (node: JsonObject) => boolean
  readonly rule: string
}

const NOT_APPLIED = 'must be missing: this service does not apply it, so the numbers would be wrong'

const NODE_RULES: readonly Rule[] = [
  {
    field: 'math_property',
    isUnapplied: ({ math_property: property, math }) => isSet(property) && !isSet(math),
    rule: `is not applied without "math": set it to one of ${AGGREGATE_NAMES.join(', ')} in a series of trends, or leave out both`,
  },
  {
    field: 'math_group_type_index',
    isUnapplied: ({ math_group_type_index: index, math }) => isSet(index) && !isSet(math),
    rule: 'is not applied without "math": "unique_group"',
  },
  { field: 'math_hogql', isUnapplied: ({ math_hogql: sql }) => isSet(sql), rule: NOT_APPLIED },
  {
    field: 'math_multiplier',
    isUnapplied: ({ math_multiplier: factor }) => isSet(factor) && factor !== 1,
    rule: NOT_APPLIED,
  },
]

const BREAKDOWN_RULES: readonly Rule[] = ['breakdown_histogram_bin_count', 'breakdown_normalize_url'].map((field) => ({
  field,
  isUnapplied: (node) => isSet(node[field]) && isSet(node['breakdowns']),
  rule: `is not applied beside "breakdowns": each of them has "${field.replace('breakdown_', '')}"`,
}))

const COMPARE_RULES: readonly Rule[] = [
  {
    field: 'compare_to',
    isUnapplied: ({ compare_to: to, compare }) => isSet(to) && (compare === undefined || compare === null),
    rule: 'is not applied without "compare": true',
  },
]

const RETENTION_RULES: readonly Rule[] = [
  {
    field: 'aggregationType',
    isUnapplied: ({ aggregationType: type }) => isSet(type) && type !== 'count',
    rule: NOT_APPLIED,
  },
  {
    field: 'timeWindowMode',
    isUnapplied: ({ timeWindowMode: mode }) => isSet(mode) && mode !== 'strict_calendar_dates',
    rule: NOT_APPLIED,
  },
  {
    field: 'retentionCustomBrackets',
    isUnapplied: ({ retentionCustomBrackets: brackets }) => isSet(brackets),
    rule: NOT_APPLIED,
  },
]

/** Fields of some kinds of queries that others do not have, and whether they say something. */
const FIELDS_OF_KINDS: readonly (readonly [field: string, saysSomething: (value: Json | undefined) => boolean])[] = [
  ['aggregation_group_type_index', isSet],
  ['breakdownFilter', (value) => isRecord(value) && (isSet(value['breakdown']) || isSet(value['breakdowns']))],
  ['compareFilter', (value) => isRecord(value) && isSet(value['compare'])],
]

/** A field that another kind of query has. */
const findForeignField = (query: JsonObject, path: string, named: NamedSchemas): UnappliedField | null => {
  const { kind } = query
  const schema = typeof kind === 'string' && Object.hasOwn(named, kind) ? named[kind] : undefined
  const { properties } = (schema ?? {}) as { readonly properties?: object }
  if (properties === undefined) return null
  const found = FIELDS_OF_KINDS.find(([name, saysSomething]) => !(name in properties) && saysSomething(query[name]))
  return found === undefined
    ? null
    : {
        path: `${path}.${found[0]}`,
        rule: `must be missing: a query of this kind (${JSON.stringify(kind)}) does not apply it`,
      }
}

const findIn = (node: JsonObject, path: string, rules: readonly Rule[]): UnappliedField | null => {
  const found = rules.find(({ isUnapplied }) => isUnapplied(node))
  return found === undefined ? null : { path: `${path}.${found.field}`, rule: found.rule }
}

/** A group of filters is not negated, and only filters on groups have a type of groups. */
export const findUnappliedFilter = (input: Json | undefined, path: string): UnappliedField | null => {
  if (Array.isArray(input))
    return findFirst(input.entries(), ([index, each]) => findUnappliedFilter(each as Json, `${path}[${index}]`))
  if (!isRecord(input)) return null
  const { negation, values, type, group_type_index: index } = input
  if (negation !== undefined && negation !== null && typeof negation !== 'boolean')
    return { path: `${path}.negation`, rule: 'must be true or false' }
  if (values !== undefined || type === 'AND' || type === 'OR')
    return negation === true
      ? { path: `${path}.negation`, rule: 'must be on a filter: a group of filters is not inverted' }
      : findUnappliedFilter(values, `${path}.values`)
  return isSet(index) && type !== 'group'
    ? { path: `${path}.group_type_index`, rule: 'is not applied unless "type" is "group"' }
    : null
}

const findInNode = (node: Json, path: string): UnappliedField | null =>
  isRecord(node)
    ? (findIn(node, path, NODE_RULES) ??
      findUnappliedFilter(node['properties'], `${path}.properties`) ??
      findUnappliedFilter(node['fixedProperties'], `${path}.fixedProperties`))
    : null

const findInNodes = (nodes: Json | undefined, path: string): UnappliedField | null =>
  findFirst(asList(nodes).entries(), ([index, node]) => findInNode(node, `${path}[${index}]`))

/**
 * Finds a field of a query that would change its numbers, but is not applied.
 *
 * @param query As the schema of its kind says.
 * @param named All schemas by `$id`, with those of all kinds.
 */
export const findUnappliedField = (query: JsonObject, path: string, named: NamedSchemas): UnappliedField | null => {
  const retention = asRecord(query['retentionFilter'])
  const inner = [
    [asRecord(query['funnelPathsFilter'])['funnelSource'], `${path}.funnelPathsFilter.funnelSource`],
    [query['source'], `${path}.source`],
  ] as const
  return (
    findForeignField(query, path, named) ??
    findUnappliedFilter(query['properties'], `${path}.properties`) ??
    findUnappliedFilter(query['fixedProperties'], `${path}.fixedProperties`) ??
    findInNodes(query['series'], `${path}.series`) ??
    findInNodes(asRecord(query['funnelsFilter'])['exclusions'], `${path}.funnelsFilter.exclusions`) ??
    findIn(asRecord(query['breakdownFilter']), `${path}.breakdownFilter`, BREAKDOWN_RULES) ??
    findIn(asRecord(query['compareFilter']), `${path}.compareFilter`, COMPARE_RULES) ??
    findIn(retention, `${path}.retentionFilter`, RETENTION_RULES) ??
    findFirst(['targetEntity', 'returningEntity'], (name) =>
      findUnappliedFilter(asRecord(retention[name])['properties'], `${path}.retentionFilter.${name}.properties`),
    ) ??
    findFirst(inner, ([source, at]) => (isRecord(source) ? findUnappliedField(source, at, named) : null))
  )
}
