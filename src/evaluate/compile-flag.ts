import type { FlagDefinition } from '../wire/definition.ts'
import type { Json, JsonObject } from '../wire/json.ts'
import { compileCondition, groupTypeAt } from './compile-condition.ts'
import { compileVariants } from './compile-variants.ts'
import type { CompiledFlag } from './compiled-flag.ts'
import { concluding } from './conclude.ts'
import { compileEnrolment } from './enrolment.ts'
import type { Evaluation } from './evaluation.ts'
import { compileHoldout } from './holdout.ts'
import { combined, inconclusive } from './inconclusive.ts'
import { isAbsent, listAt, Malformed, numberAt, recordAt } from './malformed.ts'
import { type Findings, noFindings, type Scope } from './scope.ts'

/** A compiled flag, with what it looks at. */
export interface CompiledDraft {
  readonly flag: CompiledFlag
  /** By group type; undefined stands for persons. Nothing for a flag that is off for all. */
  readonly findings: ReadonlyMap<string | undefined, Findings>
  /** The answer in place of the flag's where all properties are known and a flag it depends on is missing. */
  readonly missingDependency: Evaluation
}

const CONTINUITY = inconclusive(
  'experience_continuity',
  'only the service knows the id that this flag was first evaluated for',
)
const NO_DEVICE = inconclusive('missing_context', 'the device id that this flag is bucketed by was not given')

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
): CompiledDraft => {
  const conclude = concluding({})
  return {
    flag: {
      key,
      definition: definition as unknown as FlagDefinition,
      prefix: `${key}.`,
      settled,
      settledLocally,
      continuity: false,
      byDevice: false,
      deviceUnknown: NO_DEVICE,
      groupType: undefined,
      enrolment: undefined,
      holdout: undefined,
      earlyExit: false,
      conditions: [],
      bounds: [],
      whole: 0,
      noMatch: conclude(false, 'no_condition_match'),
      noGroup: conclude(false, 'no_group_type'),
      problems,
    },
    findings: new Map(),
    missingDependency: settled,
  }
}

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
  const problems = [...findings.values()].flatMap((found) => Array.from(found.problems))
  const isUnknownType = groupIndex !== undefined && groupType === undefined
  if (isUnknownType) problems.unshift(`filters.aggregation_group_type_index: there is no group type ${groupIndex}`)
  const flaw = problems[0] === undefined ? undefined : inconclusive('unsupported_definition', problems[0])
  return {
    flag: {
      key,
      definition: definition as unknown as FlagDefinition,
      prefix: `${key}.`,
      settled: isUnknownType ? noGroup : undefined,
      settledLocally: continuity ? CONTINUITY : isUnknownType ? flaw : undefined,
      continuity,
      byDevice: [definition['bucketing_identifier'], filters['bucketing_identifier']].includes('device_id'),
      deviceUnknown: flaw ? combined(flaw, NO_DEVICE) : NO_DEVICE,
      groupType,
      enrolment,
      holdout,
      earlyExit: booleanAt(filters['early_exit'], 'filters.early_exit'),
      conditions,
      bounds: variants.bounds,
      whole: variants.whole,
      noMatch: conclude(false, 'no_condition_match'),
      noGroup,
      problems,
    },
    findings,
    missingDependency: conclude(false, 'missing_dependency'),
  }
}

/** Never throws: a malformed flag becomes one without a value, and says why. */
export const compileFlag = (key: string, definition: JsonObject, scope: Scope): CompiledDraft => {
  if (definition['active'] === false) {
    const off = concluding({})(false, 'flag_disabled')
    return settledFlag(key, definition, off, off, [])
  }
  const continuity = definition['ensure_experience_continuity'] === true
  try {
    if (definition['active'] !== true) throw new Malformed('active', 'must be true or false')
    return compileActive(key, definition, continuity, scope)
  } catch (error) {
    // Beside what is malformed there is what is nested too deep to be read at all.
    const problem = error instanceof Malformed ? error.message : `the definition cannot be read: ${String(error)}`
    const unknown = inconclusive('unsupported_definition', problem)
    return settledFlag(key, definition, unknown, continuity ? CONTINUITY : unknown, [problem])
  }
}
