import type { FlagDefinition } from '../wire/definition.ts'
import type { Json, JsonObject } from '../wire/json.ts'
import { compileCondition, groupTypeAt } from './compile-condition.ts'
import { compileVariants } from './compile-variants.ts'
import type { CompiledFlag } from './compiled-flag.ts'
import { concluding } from './conclude.ts'
import { compileEnrolment } from './enrolment.ts'
import type { Evaluation, Inconclusive } from './evaluation.ts'
import { compileHoldout } from './holdout.ts'
import { inconclusive } from './inconclusive.ts'
import { isAbsent, listAt, Malformed, numberAt, recordAt } from './malformed.ts'
import { addFindings, noFindings } from './scope.ts'
import type { Findings, Scope } from './scope.ts'
import { thrownText } from './thrown-text.ts'

/** A compiled flag, with what it looks at. */
export interface CompiledDraft {
  /** As it would be did it not depend on others. */
  readonly flag: CompiledFlag
  /** By group type; undefined stands for persons. Nothing for a flag that is off for all. */
  readonly findings: ReadonlyMap<string | undefined, Findings>
  /** The flags that it asks for itself: key to the first place that does. */
  readonly dependencies: ReadonlyMap<string, string>
  /** The answer in place of the flag's where all properties are known and a flag it depends on is missing. */
  readonly missingDependency: Evaluation
}

const CONTINUITY = inconclusive(
  'experience_continuity',
  'only the service knows the id that this flag was first evaluated for',
)
const NO_DEVICE = inconclusive('missing_context', 'the device id that this flag is bucketed by was not given')
const NO_ID = inconclusive('missing_context', 'the distinct id was not given')

const OFF = concluding({})

/** A flag without anything to ask. */
const NOTHING: Omit<CompiledFlag, 'key' | 'definition'> = {
  prefix: '',
  settled: undefined,
  settledLocally: undefined,
  continuity: false,
  byDevice: false,
  idUnknown: NO_ID,
  asksFlags: false,
  groupType: undefined,
  enrolment: undefined,
  holdout: undefined,
  earlyExit: false,
  conditions: [],
  bounds: [],
  whole: 0,
  noMatch: OFF(false, 'no_condition_match'),
  noGroup: OFF(false, 'no_group_type'),
  problems: [],
}

const booleanAt = (value: Json | undefined, place: string): boolean => {
  if (isAbsent(value) || typeof value === 'boolean') return value === true
  throw new Malformed(place, 'must be true or false')
}

/** A flag with the same answer for everybody. */
const settledFlag = (
  key: string,
  definition: JsonObject,
  settled: Evaluation,
  settledLocally: Evaluation,
  problems: readonly string[],
): CompiledDraft => ({
  flag: { ...NOTHING, key, definition: definition as unknown as FlagDefinition, settled, settledLocally, problems },
  findings: new Map(),
  dependencies: new Map(),
  missingDependency: settled,
})

const compileActive = (key: string, definition: JsonObject, continuity: boolean, scope: Scope): CompiledDraft => {
  const filters = recordAt(definition['filters'], 'filters')
  const conclude = concluding(recordAt(filters['payloads'], 'filters.payloads'))
  const variants = compileVariants(filters['multivariate'])
  const groupIndex = numberAt(filters['aggregation_group_type_index'], 'filters.aggregation_group_type_index')
  const groupType = groupIndex === undefined ? undefined : groupTypeAt(scope, groupIndex)
  const noGroup = conclude(false, 'no_group_type')

  const findings = new Map<string | undefined, Findings>()
  const findingsOf = (type: string | undefined): Findings => {
    const found = findings.get(type) ?? noFindings()
    findings.set(type, found)
    return found
  }
  const rules = { groupIndex, groupType, variants: variants.keys, conclude, findingsOf }
  const conditions = listAt(filters['groups'], 'filters.groups').map((group, index) =>
    compileCondition(group, index, scope, rules),
  )
  const holdout = compileHoldout(filters['holdout'], (value) => conclude(value, 'holdout_condition_value'))
  const isEnrolled = booleanAt(filters['feature_enrollment'], 'filters.feature_enrollment')
  const enrolment = isEnrolled ? compileEnrolment(key, conclude) : undefined
  if (enrolment) findingsOf(undefined).keys.add(enrolment.key)

  const all = noFindings()
  for (const found of findings.values()) addFindings(all, found, 'filters')
  const unknownType =
    groupIndex !== undefined && groupType === undefined
      ? `filters.aggregation_group_type_index: there is no group type ${groupIndex}`
      : undefined
  const flaw = unknownType ?? [...all.flaws][0]
  const unsupported: Inconclusive | undefined =
    flaw === undefined ? undefined : inconclusive('unsupported_definition', flaw)
  const byDevice = [definition['bucketing_identifier'], filters['bucketing_identifier']].includes('device_id')
  return {
    flag: {
      ...NOTHING,
      key,
      definition: definition as unknown as FlagDefinition,
      prefix: `${key}.`,
      settled: unknownType === undefined ? undefined : noGroup,
      settledLocally: continuity ? CONTINUITY : unknownType === undefined ? undefined : unsupported,
      continuity,
      byDevice,
      idUnknown: unsupported ?? (byDevice ? NO_DEVICE : NO_ID),
      groupType,
      enrolment,
      holdout,
      earlyExit: booleanAt(filters['early_exit'], 'filters.early_exit'),
      conditions,
      bounds: variants.bounds,
      whole: variants.whole,
      noMatch: conclude(false, 'no_condition_match'),
      noGroup,
      problems: [...(unknownType === undefined ? [] : [unknownType]), ...all.problems],
    },
    findings,
    dependencies: all.dependencies,
    missingDependency: conclude(false, 'missing_dependency'),
  }
}

/** Never throws: a malformed flag becomes one without a value, and says why. */
export const compileFlag = (key: string, definition: JsonObject, scope: Scope): CompiledDraft => {
  if (definition['active'] === false) {
    const off = OFF(false, 'flag_disabled')
    return settledFlag(key, definition, off, off, [])
  }
  const continuity = definition['ensure_experience_continuity'] === true
  try {
    if (definition['active'] !== true) throw new Malformed('active', 'must be true or false')
    return compileActive(key, definition, continuity, scope)
  } catch (error) {
    // Beside what is malformed there is what is nested too deep to be read at all.
    const problem = error instanceof Malformed ? error.message : `the definition cannot be read: ${thrownText(error)}`
    const unknown = inconclusive('unsupported_definition', problem)
    return settledFlag(key, definition, unknown, continuity ? CONTINUITY : unknown, [problem])
  }
}
