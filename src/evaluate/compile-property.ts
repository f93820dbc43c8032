import { MAX_FLAG_VALUE_CHARACTERS } from '../wire/bounds.ts'
import type { Json, JsonObject } from '../wire/json.ts'
import type { CompiledFilter } from './compiled-flag.ts'
import type { EvaluationContext, Inconclusive } from './evaluation.ts'
import { createInconclusive } from './inconclusive.ts'
import type { Operator } from './operators/operator.ts'
import { operatorTable } from './operators/operator-table.ts'
import { hasOwn } from './own-property.ts'
import { addPattern, createUnsupportedFilter } from './scope.ts'
import type { FilterScope } from './scope.ts'
import { admitValue, SHORT_LENGTH, spendWork } from './work-budget.ts'

const PATTERN_OPERATORS: ReadonlySet<string> = new Set(['regex', 'not_regex'])

type ReadProperty = (properties: JsonObject, context: EvaluationContext) => Json | undefined

/** Persons have the implied property `distinct_id`, and groups `$group_key`. Given properties override these. */
const createReader = (key: string, groupType: string | undefined): ReadProperty => {
  if (groupType === undefined && key === 'distinct_id')
    return (properties, { distinctId }) => (hasOwn(properties, key) ? properties[key] : distinctId)
  if (groupType !== undefined && key === '$group_key')
    return (properties, { groups }) => (hasOwn(properties, key) ? properties[key] : groups[groupType])
  // Every object inherits names like `constructor`, so only own properties with these names are read.
  if (key in Object.prototype) return (properties) => (hasOwn(properties, key) ? properties[key] : undefined)
  return (properties) => properties[key]
}

/** The results of a filter that neither matches nor fails. */
interface UnknownResults {
  /** The property was given, but this evaluator cannot compare it. */
  readonly undecided: Inconclusive
  /** The property was not given, and not all properties are known. */
  readonly missing: Inconclusive
}

/** @param localProblem Why a local evaluator can never decide this filter; undefined when it can. */
const createUnknownResults = (
  key: string,
  operatorName: string,
  path: string,
  localProblem: string | undefined,
): UnknownResults => {
  if (localProblem !== undefined) {
    const unsupported = createInconclusive('unsupported_definition', localProblem)
    return { undecided: unsupported, missing: unsupported }
  }
  const detail = `${path}: "${operatorName}" cannot compare the value of "${key}" here`
  return {
    // A pattern that only the service can search for blocks later conditions if the property has a value.
    undecided: PATTERN_OPERATORS.has(operatorName)
      ? createInconclusive('unsupported_definition', detail, { blocks: true })
      : createInconclusive('missing_context', detail),
    missing: createInconclusive('missing_context', `${path}: the property "${key}" was not given`),
  }
}

/** Creates a filter whose pattern is not supported. Without a value to search, it still has a result. */
const createUnsupportedPatternFilter = (
  readProperty: ReadProperty,
  key: string,
  operatorName: string,
  path: string,
  problem: string,
): CompiledFilter => {
  const undecided = createInconclusive('unsupported_definition', problem, { blocks: true })
  const { missing } = createUnknownResults(key, operatorName, path, undefined)
  return (properties, context) => {
    if (readProperty(properties, context) !== undefined) return undecided
    return context.complete ? operatorName === 'not_regex' : missing
  }
}

/** Whether the work of comparing a value depends on its length. */
const isLong = (value: Json): value is string | Exclude<Json & object, null> =>
  typeof value === 'string' ? value.length > SHORT_LENGTH : typeof value === 'object' && value !== null

/** The test of an operator that takes its work from the budget, where that is more than reading the property once. */
const countWork = ({ test, takeWork }: Operator): Operator['test'] => {
  if (takeWork === undefined) return test
  return (property, context) => {
    takeWork()
    const result = test(property, context)
    spendWork(takeWork())
    return result
  }
}

/** Compiles a filter on one property, with its operator and filter value built in. */
export const compileProperty = (
  key: string,
  operatorName: string,
  value: Json,
  path: string,
  scope: FilterScope,
): CompiledFilter => {
  const { findings, groupType, sharedScope } = scope
  const readProperty = createReader(key, groupType)
  const factory = operatorTable.get(operatorName)
  if (!factory) return createUnsupportedFilter(`${path}: the operator "${operatorName}" is not supported`, scope)
  const operator = factory(value, sharedScope.rules)
  if (typeof operator === 'string') {
    const problem = `${path}: ${operatorName}: ${operator}`
    const unsupported = createUnsupportedFilter(problem, scope)
    return PATTERN_OPERATORS.has(operatorName)
      ? createUnsupportedPatternFilter(readProperty, key, operatorName, path, problem)
      : unsupported
  }
  addPattern(findings, operator, path)
  const { ifAbsent, presenceOnly, serviceOnly, comparisons = 1, problem: operatorProblem } = operator
  const test = countWork(operator)
  findings.comparisons += comparisons
  const problem = operatorProblem === undefined ? undefined : `${path}: ${operatorName} ${operatorProblem}`
  if (problem !== undefined) findings.problems.add(problem)
  // An invalid pattern has the same result in every evaluator.
  const valueProblem = PATTERN_OPERATORS.has(operatorName) ? undefined : problem
  const localProblem = serviceOnly ? `${path}: only the service evaluates ${operatorName}` : valueProblem
  if (localProblem !== undefined) findings.localProblems.add(localProblem)
  const { undecided, missing } = createUnknownResults(key, operatorName, path, localProblem)
  // As for a pattern that cannot be searched for, a later condition must not decide otherwise.
  const createTooLong = (): Inconclusive =>
    createInconclusive(
      'missing_context',
      `${path}: the value of "${key}" is longer than ${MAX_FLAG_VALUE_CHARACTERS} characters`,
      {
        blocks: true,
      },
    )
  let tooLong: Inconclusive | undefined
  return (properties, context) => {
    const property = readProperty(properties, context)
    if (property !== undefined) {
      if (isLong(property) && !presenceOnly && !admitValue(property, comparisons)) return (tooLong ??= createTooLong())
      return test(property, context) ?? undecided
    }
    if (presenceOnly && hasOwn(properties, key)) return test(null, context) ?? undecided
    return context.complete ? ifAbsent : missing
  }
}
