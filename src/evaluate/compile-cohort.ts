import { isRecord } from '../wire/json.ts'
import type { Json, JsonObject } from '../wire/json.ts'
import { compileLeaf, textOr } from './compile-leaf.ts'
import { always, every, not, some } from './filter.ts'
import type { Filter } from './compiled-flag.ts'
import { inconclusive } from './inconclusive.ts'
import { listAt, Malformed } from './malformed.ts'
import { ownOf } from './own.ts'
import { addFindings, noFindings, unsupported } from './scope.ts'
import type { CompiledCohort, Site } from './scope.ts'
import { thrownText } from './thrown-text.ts'

/** Most conditions of one cohort, with those of the cohorts it names: cohorts that each name the next one twice grow like 2^n. */
const MAX_CONDITIONS = 10_000
/** Deepest nesting, with that of the cohorts it names; naming one is a level, too. */
const MAX_DEPTH = 100

/** Whether it is too deep depends on where a cohort is named, not on the cohort alone. */
class TooDeep extends Malformed {
  constructor(place: string) {
    super(place, `is nested more than ${MAX_DEPTH} deep`)
  }
}

type Part = Omit<CompiledCohort, 'findings'>

const single = (filter: Filter): Part => ({ filter, size: 1, depth: 1 })

const requiresServer = (place: string, why: string, { findings }: Site): Part => {
  const flaw = `${place}: ${why}`
  findings.flaws.add(flaw)
  const unknown = inconclusive('unsupported_definition', flaw, { requiresServer: true })
  return single(() => unknown)
}

const compileGroup = ({ type, values }: JsonObject, place: string, site: Site): Part => {
  if (type !== 'AND' && type !== 'OR' && type !== 'property')
    return requiresServer(place, `the type ${JSON.stringify(type)} is not supported`, site)
  const inner = { ...site, depth: site.depth + 1 }
  const parts = listAt(values, `${place}.values`).map((value, at) =>
    compilePart(value, `${place}.values[${at}]`, inner),
  )
  const size = parts.reduce((sum, part) => sum + part.size, 1)
  const depth = 1 + parts.reduce((most, part) => Math.max(most, part.depth), 0)
  if (size > MAX_CONDITIONS) throw new Malformed(place, `comes to more than ${MAX_CONDITIONS} conditions`)
  return { filter: (type === 'OR' ? some : every)(parts.map(({ filter }) => filter)), size, depth }
}

const compilePart = (given: Json, place: string, site: Site): Part => {
  if (site.depth >= MAX_DEPTH) throw new TooDeep(place)
  if (!isRecord(given)) throw new Malformed(place, 'must be an object')
  if (Object.keys(given).length === 0) return single(always)
  const { type, values } = given
  if (values !== undefined || type === 'AND' || type === 'OR') return compileGroup(given, place, site)
  const part = type === 'cohort' ? compileMembership(given, place, site) : single(compileLeaf(given, place, site))
  return given['negation'] === true ? { ...part, filter: not(part.filter) } : part
}

/** Undefined for a cohort that the definitions do not have. Throws `Malformed`. */
const compileCohort = (id: string, { scope, groupType, depth }: Site): CompiledCohort | undefined => {
  const definition = ownOf(scope.cohorts, id)
  if (definition === undefined) return undefined
  const place = `cohorts.${id}`
  // For persons and for each type of group, since they have other properties of their own.
  const memo = JSON.stringify([groupType, id])
  const known = scope.compiledCohorts.get(memo)
  if (known instanceof Error) throw known
  if (known) {
    if (depth + 1 + known.depth > MAX_DEPTH) throw new TooDeep(place)
    return known
  }
  scope.compiledCohorts.set(memo, new Malformed(place, 'refers to itself'))
  try {
    const findings = noFindings()
    const cohort = { ...compilePart(definition, place, { scope, groupType, findings, depth: depth + 1 }), findings }
    scope.compiledCohorts.set(memo, cohort)
    return cohort
  } catch (error) {
    if (error instanceof TooDeep && depth > 0) {
      scope.compiledCohorts.delete(memo)
      throw error
    }
    const malformed = error instanceof Malformed ? error : new Malformed(place, `cannot be read: ${thrownText(error)}`)
    scope.compiledCohorts.set(memo, malformed)
    throw malformed
  }
}

/**
 * A filter on membership; `not_in` for those outside. A cohort that is not among the definitions is one of listed people: only
 * the service can tell. Where other implementations read a cohort as one of cohorts or one of conditions, it may mix both.
 *
 * Throws `Malformed`.
 */
export const compileMembership = (filter: JsonObject, place: string, site: Site): Part => {
  const { value: id } = filter
  if (typeof id !== 'number' && typeof id !== 'string')
    throw new Malformed(`${place}.value`, 'must be the id of a cohort')
  const operator = textOr(filter['operator'], 'in', `${place}.operator`)
  if (operator !== 'in' && operator !== 'exact' && operator !== 'not_in')
    return single(unsupported(`${place}: the operator "${operator}" is not one for cohorts`, site))
  const cohort = compileCohort(String(id), site)
  if (!cohort) return requiresServer(place, `the cohort ${id} is not among the definitions`, site)
  addFindings(site.findings, cohort.findings, place)
  const { filter: inside, size, depth } = cohort
  return { filter: operator === 'not_in' ? not(inside) : inside, size, depth: depth + 1 }
}
