import type { Json, JsonObject } from '../wire/json.ts'
import type { EvaluationContext, Inconclusive } from './evaluation.ts'
import type { Filter } from './compiled-flag.ts'
import { inconclusive } from './inconclusive.ts'
import { operatorTable } from './operators/operator-table.ts'
import { isOwn } from './own.ts'
import { addPattern, unsupported } from './scope.ts'
import type { Site } from './scope.ts'

const SEARCHES: ReadonlySet<string> = new Set(['regex', 'not_regex'])

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

/** What a filter answers where it has no verdict. */
interface Unknown {
  /** There is a property, but no verdict on it. */
  readonly undecided: Inconclusive
  /** There is no property, and not all are known. */
  readonly missing: Inconclusive
}

/** @param flaw Why there can be none away from the service, whatever the property; undefined when there can. */
const unknownFor = (key: string, name: string, place: string, flaw: string | undefined): Unknown => {
  if (flaw !== undefined) {
    const never = inconclusive('unsupported_definition', flaw)
    return { undecided: never, missing: never }
  }
  const detail = `${place}: the value of "${key}" cannot be compared by "${name}" here`
  return {
    // A search that only the service can make blocks later conditions, where there is a text to search.
    undecided: SEARCHES.has(name)
      ? inconclusive('unsupported_definition', detail, { blocks: true })
      : inconclusive('missing_context', detail),
    missing: inconclusive('missing_context', `${place}: the property "${key}" was not given`),
  }
}

/** A pattern that cannot be searched here. */
const unsearchable = (read: Read, key: string, name: string, place: string, problem: string): Filter => {
  const undecided = inconclusive('unsupported_definition', problem, { blocks: true })
  const { missing } = unknownFor(key, name, place, undefined)
  return (properties, context) => {
    if (read(properties, context) !== undefined) return undecided
    return context.complete ? name === 'not_regex' : missing
  }
}

/** A filter on one property, with its operator and filter value built in. */
export const compileProperty = (key: string, name: string, value: Json, place: string, site: Site): Filter => {
  const { findings, groupType, scope } = site
  const read = readerOf(key, groupType)
  const factory = operatorTable.get(name)
  if (!factory) return unsupported(`${place}: the operator "${name}" is not supported`, site)
  const operator = factory(value, scope.rules)
  if (typeof operator === 'string') {
    const problem = `${place}: ${name}: ${operator}`
    const never = unsupported(problem, site)
    return SEARCHES.has(name) ? unsearchable(read, key, name, place, problem) : never
  }
  addPattern(findings, operator, place)
  const { test, absent, presenceOnly, serviceOnly, problem } = operator
  const mistake = problem === undefined ? undefined : `${place}: ${name} ${problem}`
  if (mistake !== undefined) findings.problems.add(mistake)
  // A pattern that is none has a verdict everywhere.
  const own = SEARCHES.has(name) ? undefined : mistake
  const flaw = serviceOnly ? `${place}: ${name} is for the service to answer` : own
  if (flaw !== undefined) findings.flaws.add(flaw)
  const { undecided, missing } = unknownFor(key, name, place, flaw)
  return (properties, context) => {
    const property = read(properties, context)
    if (property !== undefined) return test(property, context) ?? undecided
    if (presenceOnly && isOwn(properties, key)) return test(null, context) ?? undecided
    return context.complete ? absent : missing
  }
}
