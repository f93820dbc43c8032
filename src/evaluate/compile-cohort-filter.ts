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
 * Maximum conditions of one cohort, including those of the cohorts it names. Without this limit, n cohorts that each name the
 * next one twice compile to 2^n conditions.
 */
const MAX_CONDITIONS = 10_000
/** Maximum nesting depth of one cohort, including the cohorts it names. A reference to a cohort is one level. */
const MAX_DEPTH = 100

/** A separate class, because the depth depends on where a cohort is named and not on the cohort alone. */
class TooDeepError extends MalformedDefinitionError {
  constructor(path: string) {
    super(path, `is nested more than ${MAX_DEPTH} deep`)
  }
}

/** A compiled node of a cohort: a condition, a group of conditions, or a reference to another cohort. */
type CohortNode = Omit<CompiledCohort, 'findings'>

const createLeafNode = (filter: CompiledFilter): CohortNode => ({ filter, conditionCount: 1, depth: 1 })

const createServerOnlyNode = (path: string, reason: string, { findings }: FilterScope): CohortNode => {
  const problem = `${path}: ${reason}`
  findings.localProblems.add(problem)
  const unknown = createInconclusive('unsupported_definition', problem, { requiresServer: true })
  return createLeafNode(() => unknown)
}

const compileGroup = ({ type, values }: JsonObject, path: string, scope: FilterScope): CohortNode => {
  if (type !== 'AND' && type !== 'OR' && type !== 'property')
    return createServerOnlyNode(path, `the type ${JSON.stringify(type)} is not supported`, scope)
  const innerScope = { ...scope, depth: scope.depth + 1 }
  const nodes = readArray(values, `${path}.values`).map((value, index) =>
    compileNode(value, `${path}.values[${index}]`, innerScope),
  )
  let conditionCount = 1
  let depth = 1
  for (const node of nodes) {
    conditionCount += node.conditionCount
    depth = Math.max(depth, node.depth + 1)
  }
  if (conditionCount > MAX_CONDITIONS)
    throw new MalformedDefinitionError(path, `has more than ${MAX_CONDITIONS} conditions`)
  return { filter: (type === 'OR' ? some : every)(nodes.map(({ filter }) => filter)), conditionCount, depth }
}

const compileNode = (input: Json, path: string, scope: FilterScope): CohortNode => {
  if (scope.depth >= MAX_DEPTH) throw new TooDeepError(path)
  if (!isRecord(input)) throw new MalformedDefinitionError(path, 'must be an object')
  if (Object.keys(input).length === 0) return createLeafNode(always)
  const { type, values } = input
  if (values !== undefined || type === 'AND' || type === 'OR') return compileGroup(input, path, scope)
  const node =
    type === 'cohort' ? compileCohortFilter(input, path, scope) : createLeafNode(compileLeaf(input, path, scope))
  return input['negation'] === true ? { ...node, filter: not(node.filter) } : node
}

/** Compiles a cohort once. Returns undefined when the definitions do not contain it. Throws `MalformedDefinitionError`. */
const compileCohort = (id: string, { sharedScope, groupType, depth }: FilterScope): CompiledCohort | undefined => {
  const definition = getOwn(sharedScope.cohorts, id)
  if (definition === undefined) return undefined
  const path = `cohorts.${id}`
  // Separate entries for persons and for each group type, because their implied properties differ.
  const cacheKey = JSON.stringify([groupType, id])
  const cached = sharedScope.compiledCohorts.get(cacheKey)
  if (cached instanceof Error) throw cached
  if (cached) {
    if (depth + 1 + cached.depth > MAX_DEPTH) throw new TooDeepError(path)
    return cached
  }
  sharedScope.compiledCohorts.set(cacheKey, new MalformedDefinitionError(path, 'refers to itself'))
  try {
    const findings = createFindings()
    const cohort = {
      ...compileNode(definition, path, { sharedScope, groupType, findings, depth: depth + 1 }),
      findings,
    }
    sharedScope.compiledCohorts.set(cacheKey, cohort)
    return cohort
  } catch (error) {
    if (error instanceof TooDeepError && depth > 0) {
      sharedScope.compiledCohorts.delete(cacheKey)
      throw error
    }
    const malformed =
      error instanceof MalformedDefinitionError
        ? error
        : new MalformedDefinitionError(path, `cannot be read: ${describeError(error)}`)
    sharedScope.compiledCohorts.set(cacheKey, malformed)
    throw malformed
  }
}

/**
 * Compiles a filter on cohort membership; `not_in` matches persons outside the cohort. A cohort that the definitions do not
 * contain is a static list of persons, which only the service has. In some implementations a cohort contains either cohorts or
 * conditions; here it may contain both.
 *
 * Throws `MalformedDefinitionError`.
 */
export const compileCohortFilter = (filter: JsonObject, path: string, scope: FilterScope): CohortNode => {
  const { value: id } = filter
  if (typeof id !== 'number' && typeof id !== 'string')
    throw new MalformedDefinitionError(`${path}.value`, 'must be the id of a cohort')
  const operator = readStringOr(filter['operator'], 'in', `${path}.operator`)
  if (operator !== 'in' && operator !== 'exact' && operator !== 'not_in')
    return createLeafNode(
      createUnsupportedFilter(`${path}: the operator "${operator}" does not work on cohorts`, scope),
    )
  const cohort = compileCohort(String(id), scope)
  if (!cohort) return createServerOnlyNode(path, `the cohort ${id} is not in the definitions`, scope)
  mergeFindings(scope.findings, cohort.findings, path)
  const { filter: isMember, conditionCount, depth } = cohort
  return { filter: operator === 'not_in' ? not(isMember) : isMember, conditionCount, depth: depth + 1 }
}
