import type { Static } from 'typebox'
import type { ReadOnly } from '../../schema/types.ts'
import type { Condition, EventField, PropertySource } from '../filter/condition.ts'
import { combine, EVENT_FIELDS } from '../filter/condition.ts'
import type { FilterContext } from '../filter/filter-context.ts'
import { FilterError } from '../filter/filter-error.ts'
import { parseFilters } from '../filter/parse-filters.ts'
import type { PropertyReference } from '../question/subject.ts'
import type { Breakdown, GroupValues } from '../question/trend.ts'
import type { BreakdownFilter } from '../schema/fields.ts'
import { parseGroupType } from '../filter/parse-group-type.ts'
import { MISSING_VALUE, OTHER_VALUES } from './breakdown-marks.ts'

type BreakdownInput = ReadOnly<Static<typeof BreakdownFilter>>

/** How a query divides events. */
export type QueryBreakdown =
  | { readonly kind: 'none' }
  | {
      readonly kind: 'properties'
      readonly breakdown: Breakdown
      readonly hasOthers: boolean
      /** For each property the number of bins that its numbers are divided into (`chooseBins`); null for none. */
      readonly binCounts: readonly (number | null)[]
    }
  /** One series for each cohort; a person may be in several of them. */
  | { readonly kind: 'cohorts'; readonly cohorts: readonly CohortGroup[] }

export interface CohortGroup {
  /** The id, or `all` for all events. */
  readonly value: number | 'all'
  readonly condition: Condition
}

const DEFAULT_LIMIT = 25
/** Most cohorts in one breakdown: each is a question of its own. */
const MAX_COHORTS = 25
const PATH = 'query.breakdownFilter'

/** Throws `FilterError`. */
export const parseBreakdown = (input: BreakdownInput | null | undefined, context: FilterContext): QueryBreakdown => {
  const { breakdown, breakdowns, breakdown_type: type, breakdown_group_type_index: index } = input ?? {}
  const { breakdown_histogram_bin_count: binCount, breakdown_normalize_url: isUrl } = input ?? {}
  if (breakdowns) {
    const parts = breakdowns.map(({ property, type: each, ...rest }, place): BreakdownPart => {
      const path = `${PATH}.breakdowns[${place}]`
      if (each === 'cohort') throw new FilterError(`${path}.type`, 'cannot be "cohort"; name cohorts in "breakdown"')
      const reference = parseReference(String(property), each ?? 'event', rest.group_type_index, path, context)
      return addRule(reference, rest.histogram_bin_count, rest.normalize_url, path)
    })
    return divide(parts, input!)
  }
  if (breakdown === undefined || breakdown === null || breakdown === '') return { kind: 'none' }
  if (type === 'cohort') {
    if ((binCount ?? null) !== null)
      throw new FilterError(`${PATH}.breakdown_histogram_bin_count`, 'must be missing: cohorts are not numbers')
    return { kind: 'cohorts', cohorts: parseCohorts([breakdown].flat(), context) }
  }
  const names = [breakdown].flat().map(String)
  if (names.length > 3) throw new FilterError(`${PATH}.breakdown`, 'must name at most three properties')
  return divide(
    names.map((name) => {
      const reference = parseReference(name, type ?? 'event', index, PATH, context)
      return addRule(reference, binCount, isUrl, PATH)
    }),
    input!,
  )
}

/** A property of a breakdown, and the number of its bins. */
interface BreakdownPart {
  readonly property: PropertyReference
  readonly binCount: number | null
}

const addRule = (
  property: PropertyReference,
  binCount: number | null | undefined,
  isUrl: boolean | null | undefined,
  path: string,
): BreakdownPart => {
  if ((binCount ?? null) !== null && isUrl === true)
    throw new FilterError(path, 'must have bins of numbers or normalized URLs, not both')
  return { property: isUrl === true ? { ...property, rule: { kind: 'url' } } : property, binCount: binCount ?? null }
}

const divide = (parts: readonly BreakdownPart[], input: BreakdownInput): QueryBreakdown => {
  const binCounts = parts.map(({ binCount }) => binCount)
  // All bins have a line of their own, and so have events without a number.
  const limit = Math.max(DEFAULT_LIMIT, ...binCounts.map((count) => (count ?? 0) + 1))
  return {
    kind: 'properties',
    breakdown: { properties: parts.map(({ property }) => property), limit: input.breakdown_limit ?? limit },
    hasOthers: input.breakdown_hide_other_aggregation !== true,
    binCounts,
  }
}

const parseReference = (
  name: string,
  type: 'event' | 'person' | 'group' | 'event_metadata',
  groupIndex: number | null | undefined,
  path: string,
  context: FilterContext,
): PropertyReference => {
  if (name === '') throw new FilterError(`${path}.breakdown`, 'must be the name of a property')
  if (type === 'event_metadata' && !EVENT_FIELDS.includes(name as EventField))
    throw new FilterError(path, `must name one of ${EVENT_FIELDS.join(', ')}`)
  return { source: parseSource(type, groupIndex, path, context), name }
}

const parseSource = (
  type: 'event' | 'person' | 'group' | 'event_metadata',
  groupIndex: number | null | undefined,
  path: string,
  context: FilterContext,
): PropertySource =>
  type === 'group'
    ? { of: 'group', type: parseGroupType(groupIndex ?? 0, `${path}.group_type_index`, context) }
    : { of: type }

const parseCohorts = (ids: readonly (string | number)[], context: FilterContext): readonly CohortGroup[] => {
  if (ids.length > MAX_COHORTS) throw new FilterError(`${PATH}.breakdown`, `must name at most ${MAX_COHORTS} cohorts`)
  return ids.map((id, place) => {
    if (id === 'all') return { value: 'all', condition: combine('all', []) }
    const filter = { key: 'id', type: 'cohort', operator: 'in', value: id }
    return { value: Number(id), condition: parseFilters(filter, `${PATH}.breakdown[${place}]`, context) }
  })
}

/** The value of a group as clients read it: one string, or one for each property. */
export const toBreakdownValue = (values: GroupValues | 'others', count: number): string | string[] => {
  const all = values === 'others' ? Array.from({ length: count }, () => OTHER_VALUES) : values.map(toText)
  return all.length === 1 ? all[0]! : all
}

const toText = (value: string | null): string => value ?? MISSING_VALUE

/** What people call a group. */
export const labelGroup = (values: GroupValues | 'others'): string =>
  values === 'others' ? 'Other' : values.map((value) => value ?? 'none').join('::')

/** The values of a group as the store knows them, from those that clients read. */
export const fromBreakdownValue = (values: readonly string[]): GroupValues | 'others' =>
  values.every((value) => value === OTHER_VALUES)
    ? 'others'
    : values.map((value) => (value === MISSING_VALUE ? null : value))
