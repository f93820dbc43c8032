import type { Json } from '../../../wire/json.ts'
import type { Condition } from '../filter/condition.ts'
import { combine } from '../filter/condition.ts'
import type { FilterContext } from '../filter/filter-context.ts'
import { parseGroupType } from '../filter/parse-group-type.ts'
import { parseFilters } from '../filter/parse-filters.ts'
import type { Actor, EventSelection } from '../question/subject.ts'

/** The fields of a query of an insight that say which events count, and for whom. The schema has checked them. */
export interface BaseQuery {
  readonly properties?: unknown
  readonly filterTestAccounts?: boolean | null
  readonly aggregation_group_type_index?: number | null
}

/** The filters of all series of a query, with those against internal and test users. Throws `FilterError`. */
export const parseQueryFilters = ({ properties, filterTestAccounts }: BaseQuery, context: FilterContext): Condition =>
  combine('all', [
    parseFilters(properties as Json | undefined, 'query.properties', context),
    ...(filterTestAccounts === true
      ? [parseFilters([...context.testAccountFilters], 'test_account_filters', context)]
      : []),
  ])

/** Who a query counts: persons, unless it names a type of groups. Throws `FilterError`. */
export const parseActor = ({ aggregation_group_type_index: index }: BaseQuery, context: FilterContext): Actor =>
  index === undefined || index === null
    ? { of: 'person' }
    : { of: 'group', type: parseGroupType(index, 'query.aggregation_group_type_index', context) }

export const toSelection = (condition: Condition, { rules, now }: FilterContext): EventSelection => ({
  condition,
  matching: { rules, now },
  path: 'query',
})
