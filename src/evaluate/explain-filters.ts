import type { CohortDefinition, FlagDefinition, FlagDefinitions, PropertyFilter } from '../wire/definition.ts'
import { isRecord } from '../wire/json.ts'
import type { Json, JsonObject } from '../wire/json.ts'
import { compile } from './compile.ts'
import type { CompiledFlag } from './compiled-flag.ts'
import { evaluateFlag } from './evaluate-flag.ts'
import type { Evaluation, EvaluationContext } from './evaluation.ts'
import { getOwn } from './own-property.ts'

/** The person or group that a condition is about, and the id that it is hashed by. */
export interface Subject {
  /** Index of the group type; undefined for a person. */
  readonly groupIndex: number | undefined
  readonly groupType: string | undefined
  /** Undefined when it was not given. */
  readonly id: string | undefined
}

/** One filter or a combination of filters: its description, and a function that evaluates it. */
interface Check {
  readonly description: string
  readonly evaluate: () => Evaluation
  /** The checks of a cohort's parts; empty for any other filter. */
  readonly parts: readonly Check[]
}

/** Formats the lines of one filter and of its cohort's parts. Call it only after `explainFilters` got all filters. */
export type FormatFilter = (indent: string) => readonly string[]

/** Formats a value of a definition or a property for people to read. */
export const formatJson = (value: Json | undefined): string => JSON.stringify(value ?? null)

/** Returns a cohort id as a string; definitions contain numbers or strings. */
const getCohortId = ({ value }: PropertyFilter): string => (typeof value === 'string' ? value : formatJson(value))

/** Formats a flag's value and reason. */
export const formatEvaluation = ({ value, reason }: Evaluation): string =>
  `${value === undefined ? 'unknown' : formatJson(value)}, ${reason}`

const MARKS = new Map<Evaluation['value'], string>([
  [true, 'yes'],
  [false, 'no '],
  [undefined, '?  '],
])

const formatCheck = ({ description, evaluate, parts }: Check, indent: string): readonly string[] => [
  `${indent}${MARKS.get(evaluate().value)} ${description}`,
  ...parts.flatMap((part) => formatCheck(part, `${indent}    `)),
]

/**
 * Explains filters. Each filter is evaluated as the only one of a probe flag for everyone. Probe flags use the same code as real
 * flags, so the explanation always agrees with the flag.
 */
export const explainFilters = (
  definitions: FlagDefinitions,
  context: EvaluationContext,
): ((filter: PropertyFilter, subject: Subject) => FormatFilter) => {
  const { flags } = compile(definitions)
  const probes: FlagDefinition[] = []
  const cohorts: Record<string, CohortDefinition> = { ...definitions.cohorts }
  let compiledProbes: ReadonlyMap<string, CompiledFlag> | undefined

  /** All probes are compiled together, at the first evaluation. */
  const addProbe = (
    filter: PropertyFilter,
    { groupIndex = null }: { readonly groupIndex: number | null | undefined },
  ): (() => Evaluation) => {
    // Keys of real flags contain no control characters.
    const key = `\0${probes.length}`
    const filters = { groups: [{ properties: [filter] }], aggregation_group_type_index: groupIndex }
    probes.push({ id: 0, key, active: true, filters })
    return () => {
      compiledProbes ??= compile({ ...definitions, cohorts, flags: [...definitions.flags, ...probes] }).flags
      return evaluateFlag(compiledProbes.get(key)!, context)
    }
  }

  const describeProperty = (key: string, { groupType, id }: Subject): string => {
    const properties = groupType === undefined ? context.personProperties : getOwn(context.groupProperties, groupType)
    const impliedProperties = groupType === undefined ? { distinct_id: context.distinctId } : { $group_key: id }
    const ownValue = getOwn(properties ?? {}, key)
    const value = ownValue === undefined ? getOwn<Json | undefined>(impliedProperties, key) : ownValue
    if (value !== undefined) return `is ${formatJson(value)}`
    return context.complete ? 'is missing' : 'was not given'
  }

  const describeFilter = (filter: PropertyFilter, subject: Subject): string => {
    const { key, type, operator, value } = filter
    if (type === 'cohort') {
      const cohort = getOwn(definitions.cohorts ?? {}, getCohortId(filter))
      const partsLabel = cohort === undefined ? 'is not in the definitions' : cohort.type === 'OR' ? 'any of' : 'all of'
      return `${operator === 'not_in' ? 'not in' : 'in'} cohort ${getCohortId(filter)}: ${partsLabel}`
    }
    if (type === 'flag') {
      const flag = flags.get(key)
      const actual = flag ? `is ${formatEvaluation(evaluateFlag(flag, context))}` : 'is not in the definitions'
      return `flag ${formatJson(key)} is ${formatJson(value)}: ${actual}`
    }
    const expected = value === undefined ? '' : ` ${formatJson(value)}`
    return `${key} ${operator ?? 'exact'}${expected}: ${describeProperty(key, subject)}`
  }

  /** Creates checks for the parts of a cohort and of the cohorts it names. Each cohort is expanded once, where it is named first. */
  const createCohortChecks = (id: string, subject: Subject, seenIds: Set<string>): readonly Check[] => {
    const cohort = seenIds.has(id) ? undefined : getOwn(definitions.cohorts ?? {}, id)
    seenIds.add(id)
    const values = isRecord(cohort as Json | undefined) ? (cohort as { readonly values?: Json }).values : undefined
    if (!Array.isArray(values)) return []
    return values.map((part: Json) => createPartCheck(part, subject, seenIds))
  }

  const createPartCheck = (part: Json, subject: Subject, seenIds: Set<string>): Check => {
    const id = `\0${probes.length}`
    cohorts[id] = { type: 'AND', values: [part as unknown as PropertyFilter] }
    const evaluate = addProbe({ key: 'id', type: 'cohort', value: id }, subject)
    const record: JsonObject = isRecord(part) ? part : {}
    const { type, values } = record
    if (Array.isArray(values)) {
      const parts = values.map((value: Json) => createPartCheck(value, subject, seenIds))
      return { description: type === 'OR' ? 'any of' : 'all of', evaluate, parts }
    }
    const filter = record as unknown as PropertyFilter
    const description = `${filter.negation === true ? 'not: ' : ''}${describeFilter(filter, subject)}`
    const parts = type === 'cohort' ? createCohortChecks(getCohortId(filter), subject, seenIds) : []
    return { description, evaluate, parts }
  }

  return (filter, subject) => {
    const check = {
      description: describeFilter(filter, subject),
      evaluate: addProbe(filter, subject),
      parts: filter.type === 'cohort' ? createCohortChecks(getCohortId(filter), subject, new Set()) : [],
    }
    return (indent) => formatCheck(check, indent)
  }
}
