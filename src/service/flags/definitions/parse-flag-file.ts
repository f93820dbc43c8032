import { isRecord } from '../../../wire/json.ts'
import type { Json } from '../../../wire/json.ts'
import type { NewCohort } from '../../store/metadata/cohorts.ts'
import type { NewFlag } from '../../store/metadata/flags.ts'
import { DefinitionError } from './definition-error.ts'
import { parseCohort } from './parse-cohort.ts'
import { parseFlag } from './parse-flag.ts'

/** Definitions that were rejected. The message says which one, where and why. Nothing was changed. */
export class FlagError extends Error {
  override readonly name: string = 'FlagError'
}

/** Flags, cohorts and settings of a file. */
export interface FlagFile {
  readonly flags: readonly NewFlag[]
  /** By id. `isNamed` is false in a definitions feed, which has no names of cohorts. */
  readonly cohorts: ReadonlyMap<number, { readonly cohort: NewCohort; readonly isNamed: boolean }>
  /** Group type index, as a string, to group type. */
  readonly groupTypes: Readonly<Record<string, string>> | undefined
  readonly propertyMatchingVersion: number | undefined
  readonly minimalFlagCalledEvents: boolean | undefined
}

/** Runs a parser and turns its `DefinitionError` into a `FlagError` that names the definition. */
const parseNamed = <Result>(name: string, parse: () => Result): Result => {
  try {
    return parse()
  } catch (error) {
    throw error instanceof DefinitionError ? new FlagError(`${name}: ${error.message}.`, { cause: error }) : error
  }
}

const parseFlags = (list: Json | undefined): NewFlag[] => {
  if (!Array.isArray(list)) throw new FlagError('"flags" must be an array of flag definitions.')
  const flags = list.map((each: Json, index: number) => {
    const key = isRecord(each) && typeof each['key'] === 'string' ? `"${each['key']}"` : `number ${index + 1}`
    return parseNamed(`Flag ${key}`, () => parseFlag(each))
  })
  const keys = new Set<string>()
  for (const { key } of flags) {
    if (keys.has(key)) throw new FlagError(`Flag "${key}" is defined twice; remove one of the definitions.`)
    keys.add(key)
  }
  return flags
}

const parseCohorts = (input: Json | undefined): FlagFile['cohorts'] => {
  if (input === undefined || input === null) return new Map()
  if (!isRecord(input)) throw new FlagError('"cohorts" must be an object whose keys are cohort ids.')
  return new Map(
    Object.entries(input).map(([id, cohort]) => {
      if (!/^[1-9]\d{0,8}$/.test(id))
        throw new FlagError(`"cohorts.${id}" must have an id from 1 to 999999999 as its key.`)
      const isNamed = isRecord(cohort) && cohort['filters'] !== undefined
      const definition = isNamed ? cohort : { name: `Cohort ${id}`, filters: { properties: cohort } }
      return [Number(id), { cohort: parseNamed(`Cohort ${id}`, () => parseCohort(definition)), isNamed }]
    }),
  )
}

const parseGroupTypes = (input: Json | undefined): FlagFile['groupTypes'] => {
  if (input === undefined || input === null) return undefined
  if (!isRecord(input)) throw new FlagError('"group_type_mapping" must be an object of group type index to group type.')
  const types: Record<string, string> = {}
  for (const [index, type] of Object.entries(input)) {
    if (!/^\d+$/.test(index) || typeof type !== 'string' || type === '')
      throw new FlagError(
        `"group_type_mapping.${index}" must have an index from 0 as its key and a non-empty string as its value.`,
      )
    types[index] = type
  }
  return types
}

/**
 * Parses one flag definition, an array of them, or a definitions feed: `{"flags": […], "cohorts": {"1": {…}},
 * "group_type_mapping": {"0": "company"}}`. A cohort may also have its name and description, as in responses of the management
 * API.
 *
 * @throws FlagError
 */
export const parseFlagFile = (input: Json): FlagFile => {
  const feed = isRecord(input) && input['flags'] !== undefined ? input : undefined
  const version = feed?.['property_matching_version']
  if (version !== undefined && version !== null && version !== 1 && version !== 2)
    throw new FlagError('"property_matching_version" must be 1 or 2.')
  const minimal = feed?.['minimal_flag_called_events']
  if (minimal !== undefined && typeof minimal !== 'boolean')
    throw new FlagError('"minimal_flag_called_events" must be true or false.')
  return {
    flags: parseFlags(feed ? feed['flags'] : Array.isArray(input) ? input : [input]),
    cohorts: parseCohorts(feed?.['cohorts']),
    groupTypes: parseGroupTypes(feed?.['group_type_mapping']),
    propertyMatchingVersion: version ?? undefined,
    minimalFlagCalledEvents: minimal,
  }
}
