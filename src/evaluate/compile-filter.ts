import type { PropertyFilter } from '../wire/definition.ts'
import type { JsonObject } from '../wire/json.ts'
import type { MatchingRules, Verdict } from './operators/operator.ts'
import { operatorTable } from './operators/operator-table.ts'

/** Whether somebody with these properties passes. */
export type Filter = (properties: JsonObject, complete: boolean) => Verdict

/** A text says why the filter cannot be run here. */
export const compileFilter = (filter: PropertyFilter, rules: MatchingRules): Filter | string => {
  const { key, type = 'person', operator: name = 'exact' } = filter
  if (type !== 'person' && type !== 'group') return `filters of type "${type}" are not supported`
  const factory = operatorTable.get(name)
  if (!factory) return `the operator "${name}" is not supported`
  const operator = factory(filter.value ?? null, rules)
  if (typeof operator === 'string') return `${name}: ${operator}`
  const { test, absent, presenceOnly } = operator
  return (properties, complete) => {
    if (Object.prototype.hasOwnProperty.call(properties, key)) {
      const property = properties[key]
      if (property !== undefined) return test(property, complete)
      if (presenceOnly) return test(null, complete)
    }
    return complete ? absent : undefined
  }
}
