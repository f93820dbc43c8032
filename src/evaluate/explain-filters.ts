import type { CohortDefinition, FlagDefinition, FlagDefinitions, PropertyFilter } from '../wire/definition.ts'
import { isRecord } from '../wire/json.ts'
import type { Json, JsonObject } from '../wire/json.ts'
import { compile } from './compile.ts'
import type { CompiledFlag } from './compiled-flag.ts'
import { evaluateFlag } from './evaluate-flag.ts'
import type { Evaluation, EvaluationContext } from './evaluation.ts'
import { ownOf } from './own.ts'

/** Whom a condition looks at, and what it is hashed by. */
export interface Subject {
  /** Of the group type; undefined for a person. */
  readonly groupIndex: number | undefined
  readonly groupType: string | undefined
  /** Undefined when it was not given. */
  readonly id: string | undefined
}

/** One filter, or filters put together: in words, and how to find out whether it holds. */
interface Check {
  readonly text: string
  readonly holds: () => Evaluation
  readonly parts: readonly Check[]
}

/** Lines on one filter, and on the parts of the cohort that it names. To be called when all filters were handed in. */
export type FilterLines = (indent: string) => readonly string[]

/** A value of a definition or a property for people to read. */
export const json = (value: Json | undefined): string => JSON.stringify(value ?? null)

/** Ids of cohorts are numbers or texts. */
const idOf = ({ value }: PropertyFilter): string => (typeof value === 'string' ? value : json(value))

/** What came of a flag. */
export const outcomeWords = ({ value, reason }: Evaluation): string =>
  `${value === undefined ? 'unknown' : json(value)}, ${reason}`

const MARKS = new Map<Evaluation['value'], string>([
  [true, 'yes'],
  [false, 'no '],
  [undefined, '?  '],
])

const linesOf = ({ text, holds, parts }: Check, indent: string): readonly string[] => [
  `${indent}${MARKS.get(holds().value)} ${text}`,
  ...parts.flatMap((part) => linesOf(part, `${indent}    `)),
]

/**
 * Explains filters. Each is evaluated as the only filter of a flag for everybody, by the same code as the flag itself, so
 * that it cannot come out otherwise.
 */
export const explainFilters = (
  definitions: FlagDefinitions,
  context: EvaluationContext,
): ((filter: PropertyFilter, subject: Subject) => FilterLines) => {
  const { flags: known } = compile(definitions)
  const probes: FlagDefinition[] = []
  const cohorts: Record<string, CohortDefinition> = { ...definitions.cohorts }
  let compiled: ReadonlyMap<string, CompiledFlag> | undefined

  /** Compiled together, when the first is asked for. */
  const probe = (
    filter: PropertyFilter,
    { groupIndex = null }: { readonly groupIndex: number | null | undefined },
  ): (() => Evaluation) => {
    // No flag has a control character in its key.
    const key = `\0${probes.length}`
    const filters = { groups: [{ properties: [filter] }], aggregation_group_type_index: groupIndex }
    probes.push({ id: 0, key, active: true, filters })
    return () => {
      compiled ??= compile({ ...definitions, cohorts, flags: [...definitions.flags, ...probes] }).flags
      return evaluateFlag(compiled.get(key)!, context)
    }
  }

  const given = (key: string, { groupType, id }: Subject): string => {
    const properties = groupType === undefined ? context.personProperties : ownOf(context.groupProperties, groupType)
    const implied = groupType === undefined ? { distinct_id: context.distinctId } : { $group_key: id }
    const own = ownOf(properties ?? {}, key)
    const value = own === undefined ? ownOf<Json | undefined>(implied, key) : own
    if (value !== undefined) return `is ${json(value)}`
    return context.complete ? 'is not there' : 'was not given'
  }

  const leafWords = (filter: PropertyFilter, subject: Subject): string => {
    const { key, type, operator, value } = filter
    if (type === 'cohort') {
      const cohort = ownOf(definitions.cohorts ?? {}, idOf(filter))
      const parts = cohort === undefined ? 'is not among the definitions' : cohort.type === 'OR' ? 'any of' : 'all of'
      return `${operator === 'not_in' ? 'not in' : 'in'} cohort ${idOf(filter)}: ${parts}`
    }
    if (type === 'flag') {
      const flag = known.get(key)
      return `flag ${json(key)} is ${json(value)}: ${flag ? `is ${outcomeWords(evaluateFlag(flag, context))}` : 'there is none'}`
    }
    const wanted = value === undefined ? '' : ` ${json(value)}`
    return `${key} ${operator ?? 'exact'}${wanted}: ${given(key, subject)}`
  }

  /** The parts of a cohort, and of those that it names: of each where it is named first. */
  const cohortParts = (id: string, subject: Subject, seen: Set<string>): readonly Check[] => {
    const cohort = seen.has(id) ? undefined : ownOf(definitions.cohorts ?? {}, id)
    seen.add(id)
    const values = isRecord(cohort as Json | undefined) ? (cohort as { readonly values?: Json }).values : undefined
    if (!Array.isArray(values)) return []
    return values.map((part: Json) => cohortPart(part, subject, seen))
  }

  const cohortPart = (part: Json, subject: Subject, seen: Set<string>): Check => {
    const id = `\0${probes.length}`
    cohorts[id] = { type: 'AND', values: [part as unknown as PropertyFilter] }
    const holds = probe({ key: 'id', type: 'cohort', value: id }, subject)
    const record: JsonObject = isRecord(part) ? part : {}
    const { type, values } = record
    if (Array.isArray(values)) {
      const parts = values.map((each: Json) => cohortPart(each, subject, seen))
      return { text: type === 'OR' ? 'any of' : 'all of', holds, parts }
    }
    const filter = record as unknown as PropertyFilter
    const text = `${filter.negation === true ? 'not: ' : ''}${leafWords(filter, subject)}`
    return { text, holds, parts: type === 'cohort' ? cohortParts(idOf(filter), subject, seen) : [] }
  }

  return (filter, subject) => {
    const check = {
      text: leafWords(filter, subject),
      holds: probe(filter, subject),
      parts: filter.type === 'cohort' ? cohortParts(idOf(filter), subject, new Set()) : [],
    }
    return (indent) => linesOf(check, indent)
  }
}
