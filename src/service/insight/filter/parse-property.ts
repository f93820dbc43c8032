import { operatorTable } from '../../../evaluate/operators/operator-table.ts'
import type { Json, JsonObject } from '../../../wire/json.ts'
import { isNonEmptyString } from '../../../wire/is-non-empty-string.ts'
import type { PropertyCondition, PropertySource } from './condition.ts'
import type { FilterContext } from './filter-context.ts'
import { FilterError, UnsupportedFilterError } from './filter-error.ts'

const OPERATORS_WITHOUT_VALUE: ReadonlySet<string> = new Set(['is_set', 'is_not_set'])

/** Operators of the protocol that flag filters do not have. */
const OTHER_OPERATORS: ReadonlySet<string> = new Set(['is_cleaned_path_exact', 'min', 'max', 'in', 'not_in'])

/** Returns a non-empty string. Throws `FilterError`. */
const parseName = (value: Json | undefined, path: string): string => {
  if (isNonEmptyString(value)) return value
  throw new FilterError(path, 'must be a non-empty string')
}

/**
 * Parses the condition of a filter on one property, with an operator of flag filters.
 *
 * @throws FilterError for an operator or a value that matches no property, whatever it is.
 */
export const parseProperty = (
  { key, operator, value }: JsonObject,
  source: PropertySource,
  path: string,
  isNegated: boolean,
  { rules }: Pick<FilterContext, 'rules'>,
): PropertyCondition => {
  const name = parseName(key, `${path}.key`)
  const operatorName = operator === undefined || operator === null ? 'exact' : parseName(operator, `${path}.operator`)
  const createOperator = operatorTable.get(operatorName)
  if (!createOperator) {
    const CreateError = OTHER_OPERATORS.has(operatorName) ? UnsupportedFilterError : FilterError
    throw new CreateError(`${path}.operator`, `must be one of ${[...operatorTable.keys()].join(', ')}`)
  }
  if (value === undefined && !OPERATORS_WITHOUT_VALUE.has(operatorName))
    throw new FilterError(`${path}.value`, 'is missing')
  const created = createOperator(value ?? null, rules)
  const problem = typeof created === 'string' ? created : created.problem
  if (typeof created === 'string' || problem !== undefined)
    throw new FilterError(`${path}.value`, `cannot be used: ${operatorName} ${problem}`)
  return { kind: 'property', path, source, name, operator: operatorName, value: value ?? null, isNegated }
}
