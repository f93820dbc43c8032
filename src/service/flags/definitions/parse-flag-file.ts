import { isRecord } from '../../../wire/json.ts'
import type { Json } from '../../../wire/json.ts'
import type { NewCohort } from '../../store/metadata/cohorts.ts'
import type { NewFlag } from '../../store/metadata/flags.ts'
import { DefinitionError } from './definition-error.ts'
import { parseCohort } from './parse-cohort.ts'
import { parseDefinition } from './parse-definition.ts'

/** Definitions that cannot be taken. The message says which one, where and why; nothing was changed. */
export class FlagError extends Error {
  override readonly name: string = 'FlagError'
}

/** Flags and what belongs to them, as somebody wrote them into a file. */
export interface FlagFile {
  readonly flags: readonly NewFlag[]
  /** By id. Without a name where the file is a feed, which has none. */
  readonly cohorts: ReadonlyMap<number, { readonly cohort: NewCohort; readonly isNamed: boolean }>
  /** Group type index, as text, to group type. */
  readonly groupTypes: Readonly<Record<string, string>> | undefined
  readonly propertyMatchingVersion: number | undefined
  readonly minimalFlagCalledEvents: boolean | undefined
}

/** Runs a parser; what it refuses becomes a `FlagError` that names the definition. */
const named = <Result>(name: string, parse: () => Result): Result => {
  try {
    return parse()
  } catch (error) {
    throw error instanceof DefinitionError ? new FlagError(`${name}: ${error.message}.`, { cause: error }) : error
  }
}

const flagsIn = (list: Json | undefined): NewFlag[] => {
  if (!Array.isArray(list)) throw new FlagError('"flags" must be an array of definitions.')
  const flags = list.map((each: Json, index: number) => {
    const key = isRecord(each) && typeof each['key'] === 'string' ? `"${each['key']}"` : `number ${index + 1}`
    return named(`Flag ${key}`, () => parseDefinition(each))
  })
  const keys = new Set<string>()
  for (const { key } of flags) {
    if (keys.has(key)) throw new FlagError(`Flag "${key}" is given twice.`)
    keys.add(key)
  }
  return flags
}

const cohortsIn = (given: Json | undefined): FlagFile['cohorts'] => {
  if (given === undefined || given === null) return new Map()
  if (!isRecord(given)) throw new FlagError('"cohorts" must be an object of id to cohort.')
  return new Map(
    Object.entries(given).map(([id, cohort]) => {
      if (!/^[1-9]\d{0,8}$/.test(id)) throw new FlagError(`"cohorts.${id}" must be named by a number from 1.`)
      const isNamed = isRecord(cohort) && cohort['filters'] !== undefined
      const whole = isNamed ? cohort : { name: `Cohort ${id}`, filters: { properties: cohort } }
      return [Number(id), { cohort: named(`Cohort ${id}`, () => parseCohort(whole)), isNamed }]
    }),
  )
}

const groupTypesIn = (given: Json | undefined): FlagFile['groupTypes'] => {
  if (given === undefined || given === null) return undefined
  if (!isRecord(given)) throw new FlagError('"group_type_mapping" must be an object of index to group type.')
  const types: Record<string, string> = {}
  for (const [index, type] of Object.entries(given)) {
    if (!/^\d+$/.test(index) || typeof type !== 'string' || type === '')
      throw new FlagError(`"group_type_mapping.${index}" must be a number that names a group type.`)
    types[index] = type
  }
  return types
}

/**
 * Reads one definition, an array of them, or the definitions feed: `{"flags": […], "cohorts": {"1": {…}},
 * "group_type_mapping": {"0": "company"}}`. A cohort may also stand there with its name and description, as the management
 * API answers it.
 *
 * @throws FlagError
 */
export const parseFlagFile = (given: Json): FlagFile => {
  const feed = isRecord(given) && given['flags'] !== undefined ? given : undefined
  const version = feed?.['property_matching_version']
  if (version !== undefined && version !== null && version !== 1 && version !== 2)
    throw new FlagError('"property_matching_version" must be 1 or 2.')
  const minimal = feed?.['minimal_flag_called_events']
  if (minimal !== undefined && typeof minimal !== 'boolean')
    throw new FlagError('"minimal_flag_called_events" must be true or false.')
  return {
    flags: flagsIn(feed ? feed['flags'] : Array.isArray(given) ? given : [given]),
    cohorts: cohortsIn(feed?.['cohorts']),
    groupTypes: groupTypesIn(feed?.['group_type_mapping']),
    propertyMatchingVersion: version ?? undefined,
    minimalFlagCalledEvents: minimal,
  }
}
