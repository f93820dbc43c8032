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
  | { readonly kind: 'properties'; readonly breakdown: Breakdown; readonly hasOthers: boolean }
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
  if (breakdowns) {
    const references = breakdowns.map(({ property, type: each, group_type_index: groupIndex }, place) => {
      const path = `${PATH}.breakdowns[${place}]`
      if (each === 'cohort') throw new FilterError(`${path}.type`, 'cannot be "cohort"; name cohorts in "breakdown"')
      return parseReference(String(property), each ?? 'event', groupIndex, path, context)
    })
    return divide(references, input!)
  }
  if (breakdown === undefined || breakdown === null || breakdown === '') return { kind: 'none' }
  if (type === 'cohort') return { kind: 'cohorts', cohorts: parseCohorts([breakdown].flat(), context) }
  const names = [breakdown].flat().map(String)
  if (names.length > 3) throw new FilterError(`${PATH}.breakdown`, 'must name at most three properties')
  return divide(
    names.map((name) => parseReference(name, type ?? 'event', index, PATH, context)),
    input!,
  )
}

const divide = (properties: readonly PropertyReference[], input: BreakdownInput): QueryBreakdown => ({
  kind: 'properties',
  breakdown: { properties, limit: input.breakdown_limit ?? DEFAULT_LIMIT },
  hasOthers: input.breakdown_hide_other_aggregation !== true,
})

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
