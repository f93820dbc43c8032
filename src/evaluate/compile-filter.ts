import type { PropertyFilter } from '../wire/definition.ts'
import type { JsonObject } from '../wire/json.ts'
import type { MatchingRules, OperatorContext, Verdict } from './operators/operator.ts'
import { operatorTable } from './operators/operator-table.ts'

/** Whether somebody with these properties passes. */
export type Filter = (properties: JsonObject, context: OperatorContext) => Verdict

/** A text says why the filter cannot be run here. */
export const compileFilter = (filter: PropertyFilter, rules: MatchingRules): Filter | string => {
  const { key } = filter
  const type = filter.type ?? 'person'
  const name = filter.operator ?? 'exact'
  if (type !== 'person' && type !== 'group') return `filters of type "${type}" are not supported`
  const factory = operatorTable.get(name)
  if (!factory) return `the operator "${name}" is not supported`
  const operator = factory(filter.value ?? null, rules)
  if (typeof operator === 'string') return `${name}: ${operator}`
  const { test, absent, presenceOnly } = operator
  return (properties, context) => {
    if (Object.prototype.hasOwnProperty.call(properties, key)) {
      const property = properties[key]
      if (property !== undefined) return test(property, context)
      if (presenceOnly) return test(null, context)
    }
    return context.complete ? absent : undefined
  }
}
