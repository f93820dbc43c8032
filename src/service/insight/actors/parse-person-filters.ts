import type { Json } from '../../../wire/json.ts'
import type { Condition } from '../filter/condition.ts'
import type { FilterContext } from '../filter/filter-context.ts'
import { FilterError } from '../filter/filter-error.ts'
import { parseFilters } from '../filter/parse-filters.ts'

const PATH = 'query.properties'

/**
 * Parses filters of the types person and cohort. Throws `FilterError`.
 *
 * @param isOfPersons Whether the actors are persons; groups cannot be filtered.
 */
export const parsePersonFilters = (properties: unknown, isOfPersons: boolean, context: FilterContext): Condition => {
  const condition = parseFilters(properties as Json | undefined, PATH, context)
  const path = findOther(condition)
  if (path !== null) throw new FilterError(`${path}.type`, 'must be person or cohort')
  if (!isOfPersons && !isEmpty(condition)) throw new FilterError(PATH, 'must be empty: the actors are groups')
  return condition
}

const isEmpty = (condition: Condition): boolean =>
  (condition.kind === 'all' || condition.kind === 'any') && condition.conditions.every(isEmpty)

/** The path of a filter that is not on persons; null without one. */
const findOther = (condition: Condition): string | null => {
  switch (condition.kind) {
    case 'all':
    case 'any':
      return condition.conditions.map(findOther).find((path) => path !== null) ?? null
    case 'property':
      return condition.source.of === 'person' ? null : condition.path
    default:
      return null
  }
}
