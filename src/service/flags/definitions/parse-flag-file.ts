import { isRecord } from '../../../wire/json.ts'
import type { Json, JsonObject } from '../../../wire/json.ts'
import type { NewCohort } from '../../store/metadata/cohorts.ts'
import type { NewFlag } from '../../store/metadata/flags.ts'
import { COHORT_SHAPE, COHORT_TREE_SHAPE } from './condition-shape.ts'
import { DefinitionError } from './definition-error.ts'
import { findDefinitionWarnings } from './find-definition-warnings.ts'
import { FLAG_SHAPE } from './flag-shape.ts'
import { parseCohort } from './parse-cohort.ts'
import { parseFlag } from './parse-flag.ts'
import { describePartialVariants } from './refuse-partial-variants.ts'
import { listFields } from './shape-parts.ts'

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
  /** What has no effect, or is likely to be a mistake, each in a sentence. */
  readonly warnings: readonly string[]
}

/** Runs a parser and turns its `DefinitionError` into a `FlagError` that names the definition. */
const parseNamed = <Result>(name: string, parse: () => Result): Result => {
  try {
    return parse()
  } catch (error) {
    throw error instanceof DefinitionError ? new FlagError(`${name}: ${error.message}.`, { cause: error }) : error
  }
}

const FEED_SHAPE = {
  fields: listFields('flags, cohorts, group_type_mapping, property_matching_version, minimal_flag_called_events'),
}

const nameFlag = (flag: Json, index: number): string =>
  `Flag ${isRecord(flag) && typeof flag['key'] === 'string' ? `"${flag['key']}"` : `number ${index + 1}`}`

/** @param list Flags that were parsed. */
const findFlagWarnings = (list: readonly Json[], flags: readonly NewFlag[]): readonly string[] =>
  list.flatMap((each, index) => {
    const name = nameFlag(each, index)
    const problem = describePartialVariants(flags[index]!)
    const warnings = findDefinitionWarnings(name, each as JsonObject, FLAG_SHAPE)
    return problem === undefined ? warnings : [...warnings, `${name}: filters.multivariate.variants ${problem}.`]
  })

/** @param input Cohorts that were parsed. */
const findCohortWarnings = (input: Json | undefined): readonly string[] =>
  Object.entries((input ?? {}) as JsonObject).flatMap(([id, cohort]) =>
    findDefinitionWarnings(
      `Cohort ${id}`,
      cohort as JsonObject,
      isRecord(cohort) && cohort['filters'] !== undefined ? COHORT_SHAPE : COHORT_TREE_SHAPE,
    ),
  )

const parseFlags = (list: Json | undefined): NewFlag[] => {
  if (!Array.isArray(list)) throw new FlagError('"flags" must be an array of flag definitions.')
  const flags = list.map((each: Json, index: number) => parseNamed(nameFlag(each, index), () => parseFlag(each)))
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
  const list = feed ? feed['flags'] : Array.isArray(input) ? (input as readonly Json[]) : [input]
  const flags = parseFlags(list)
  const cohorts = parseCohorts(feed?.['cohorts'])
  return {
    flags,
    cohorts,
    groupTypes: parseGroupTypes(feed?.['group_type_mapping']),
    propertyMatchingVersion: version ?? undefined,
    minimalFlagCalledEvents: minimal,
    warnings: [
      ...(feed ? findDefinitionWarnings('The file', feed, FEED_SHAPE) : []),
      ...findFlagWarnings(list as readonly Json[], flags),
      ...findCohortWarnings(feed?.['cohorts']),
    ],
  }
}
