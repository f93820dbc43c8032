import { isRecord } from '../wire/json.ts'
import type { Json, JsonObject } from '../wire/json.ts'
import { compileLeaf } from './compile-leaf.ts'
import type { CompiledFilter } from './compiled-flag.ts'
import { describeError } from './describe-error.ts'
import { always, every, not, some } from './filter-combinators.ts'
import { createInconclusive } from './inconclusive.ts'
import { MalformedDefinitionError } from './malformed-definition-error.ts'
import { getOwn } from './own-property.ts'
import { readArray, readStringOr } from './read-value.ts'
import { createFindings, createUnsupportedFilter, mergeFindings } from './scope.ts'
import type { CompiledCohort, FilterScope } from './scope.ts'

/**
 * Maximum conditions of one cohort, including those of the cohorts it names. Without it, cohorts that each name the next
 * one twice grow like 2^n.
 */
const MAX_CONDITIONS = 10_000
/** Maximum nesting depth, including that of the cohorts it names. Naming a cohort counts as one level. */
const MAX_DEPTH = 100

/** A separate class, because the depth depends on where a cohort is named and not on the cohort alone. */
class TooDeepError extends MalformedDefinitionError {
  constructor(path: string) {
    super(path, `is nested more than ${MAX_DEPTH} deep`)
  }
}

type CohortPart = Omit<CompiledCohort, 'findings'>

const createLeafPart = (filter: CompiledFilter): CohortPart => ({ filter, conditionCount: 1, depth: 1 })

const createServerOnlyPart = (path: string, reason: string, { findings }: FilterScope): CohortPart => {
  const problem = `${path}: ${reason}`
  findings.localProblems.add(problem)
  const unknown = createInconclusive('unsupported_definition', problem, { requiresServer: true })
  return createLeafPart(() => unknown)
}

const compileGroup = ({ type, values }: JsonObject, path: string, scope: FilterScope): CohortPart => {
  if (type !== 'AND' && type !== 'OR' && type !== 'property')
    return createServerOnlyPart(path, `the type ${JSON.stringify(type)} is not supported`, scope)
  const innerScope = { ...scope, depth: scope.depth + 1 }
  const parts = readArray(values, `${path}.values`).map((value, index) =>
    compilePart(value, `${path}.values[${index}]`, innerScope),
  )
  const conditionCount = parts.reduce((sum, part) => sum + part.conditionCount, 1)
  const depth = 1 + parts.reduce((max, part) => Math.max(max, part.depth), 0)
  if (conditionCount > MAX_CONDITIONS)
    throw new MalformedDefinitionError(path, `has more than ${MAX_CONDITIONS} conditions`)
  return { filter: (type === 'OR' ? some : every)(parts.map(({ filter }) => filter)), conditionCount, depth }
}

const compilePart = (input: Json, path: string, scope: FilterScope): CohortPart => {
  if (scope.depth >= MAX_DEPTH) throw new TooDeepError(path)
  if (!isRecord(input)) throw new MalformedDefinitionError(path, 'must be an object')
  if (Object.keys(input).length === 0) return createLeafPart(always)
  const { type, values } = input
  if (values !== undefined || type === 'AND' || type === 'OR') return compileGroup(input, path, scope)
  const part =
    type === 'cohort' ? compileCohortFilter(input, path, scope) : createLeafPart(compileLeaf(input, path, scope))
  return input['negation'] === true ? { ...part, filter: not(part.filter) } : part
}

/** Undefined when the definitions do not contain the cohort. Throws `MalformedDefinitionError`. */
const compileCohort = (id: string, { shared, groupType, depth }: FilterScope): CompiledCohort | undefined => {
  const definition = getOwn(shared.cohorts, id)
  if (definition === undefined) return undefined
  const path = `cohorts.${id}`
  // Separate entries for persons and for each group type, because their implied properties differ.
  const cacheKey = JSON.stringify([groupType, id])
  const cached = shared.compiledCohorts.get(cacheKey)
  if (cached instanceof Error) throw cached
  if (cached) {
    if (depth + 1 + cached.depth > MAX_DEPTH) throw new TooDeepError(path)
    return cached
  }
  shared.compiledCohorts.set(cacheKey, new MalformedDefinitionError(path, 'refers to itself'))
  try {
    const findings = createFindings()
    const cohort = { ...compilePart(definition, path, { shared, groupType, findings, depth: depth + 1 }), findings }
    shared.compiledCohorts.set(cacheKey, cohort)
    return cohort
  } catch (error) {
    if (error instanceof TooDeepError && depth > 0) {
      shared.compiledCohorts.delete(cacheKey)
      throw error
    }
    const malformed =
      error instanceof MalformedDefinitionError
        ? error
        : new MalformedDefinitionError(path, `cannot be read: ${describeError(error)}`)
    shared.compiledCohorts.set(cacheKey, malformed)
    throw malformed
  }
}

/**
 * Compiles a filter on cohort membership; `not_in` matches those outside. A cohort that the definitions do not contain is a
 * static list of people, which only the service has. Some implementations read a cohort either as cohorts or as conditions;
 * here it may contain both.
 *
 * Throws `MalformedDefinitionError`.
 */
export const compileCohortFilter = (filter: JsonObject, path: string, scope: FilterScope): CohortPart => {
  const { value: id } = filter
  if (typeof id !== 'number' && typeof id !== 'string')
    throw new MalformedDefinitionError(`${path}.value`, 'must be the id of a cohort')
  const operator = readStringOr(filter['operator'], 'in', `${path}.operator`)
  if (operator !== 'in' && operator !== 'exact' && operator !== 'not_in')
    return createLeafPart(
      createUnsupportedFilter(`${path}: the operator "${operator}" does not work on cohorts`, scope),
    )
  const cohort = compileCohort(String(id), scope)
  if (!cohort) return createServerOnlyPart(path, `the cohort ${id} is not in the definitions`, scope)
  mergeFindings(scope.findings, cohort.findings, path)
  const { filter: isMember, conditionCount, depth } = cohort
  return { filter: operator === 'not_in' ? not(isMember) : isMember, conditionCount, depth: depth + 1 }
}
