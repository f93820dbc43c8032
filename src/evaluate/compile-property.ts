import type { Json, JsonObject } from '../wire/json.ts'
import type { EvaluationContext } from './evaluation.ts'
import type { Filter } from './filter.ts'
import { inconclusive } from './inconclusive.ts'
import { operatorTable } from './operators/operator-table.ts'
import { type Site, unsupported } from './scope.ts'

const SEARCHES: ReadonlySet<string> = new Set(['regex', 'not_regex'])

const isOwn = (properties: JsonObject, key: string): boolean => Object.prototype.hasOwnProperty.call(properties, key)

type Read = (properties: JsonObject, context: EvaluationContext) => Json | undefined

/** Persons have their `distinct_id` and groups their `$group_key` as properties, given or not. */
const readerOf = (key: string, groupType: string | undefined): Read => {
  if (groupType === undefined && key === 'distinct_id')
    return (properties, { distinctId }) => (isOwn(properties, key) ? properties[key] : distinctId)
  if (groupType !== undefined && key === '$group_key')
    return (properties, { groups }) => (isOwn(properties, key) ? properties[key] : groups[groupType])
  // A name that every object inherits, like `constructor`, is a property only where it is the object's own.
  if (key in Object.prototype) return (properties) => (isOwn(properties, key) ? properties[key] : undefined)
  return (properties) => properties[key]
}

/** A filter on one property, with its operator and filter value built in. */
export const compileProperty = (key: string, name: string, value: Json, place: string, site: Site): Filter => {
  const read = readerOf(key, site.groupType)
  const notGiven = inconclusive('missing_context', `${place}: the property "${key}" was not given`)
  const factory = operatorTable.get(name)
  if (!factory) return unsupported(`${place}: the operator "${name}" is not supported`, site)
  const operator = factory(value, site.scope.rules)
  if (typeof operator === 'string') {
    const problem = `${place}: ${name}: ${operator}`
    const never = unsupported(problem, site)
    if (!SEARCHES.has(name)) return never
    // A pattern that only the service can search blocks later conditions, where there is a text to search.
    const unknown = inconclusive('unsupported_definition', problem, { blocks: true })
    return (properties, context) => {
      if (read(properties, context) !== undefined) return unknown
      return context.complete ? name === 'not_regex' : notGiven
    }
  }
  const { test, absent, presenceOnly, serviceOnly, problem } = operator
  if (problem !== undefined) site.findings.problems.add(`${place}: ${name} ${problem}`)
  const isSearch = SEARCHES.has(name)
  // A pattern that is none has a verdict everywhere.
  const flaw = serviceOnly ? 'is for the service to answer' : isSearch ? undefined : problem
  const never = flaw === undefined ? undefined : inconclusive('unsupported_definition', `${place}: ${name} ${flaw}`)
  const detail = `${place}: the value of "${key}" cannot be compared by "${name}" here`
  const undecided = isSearch
    ? inconclusive('unsupported_definition', detail, { blocks: true })
    : (never ?? inconclusive('missing_context', detail))
  const missing = never ?? notGiven
  return (properties, context) => {
    const property = read(properties, context)
    if (property !== undefined) return test(property, context) ?? undecided
    if (presenceOnly && isOwn(properties, key)) return test(null, context) ?? undecided
    return context.complete ? absent : missing
  }
}
