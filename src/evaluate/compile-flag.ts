import type { FlagDefinition } from '../wire/definition.ts'
import type { JsonObject } from '../wire/json.ts'
import { compileCondition, getGroupType } from './compile-condition.ts'
import { compileVariants } from './compile-variants.ts'
import type { CompiledFlag } from './compiled-flag.ts'
import { createConclusiveFactory } from './conclusive-factory.ts'
import { describeError } from './describe-error.ts'
import { compileEnrolment } from './enrolment.ts'
import type { Evaluation, Inconclusive } from './evaluation.ts'
import { compileHoldout } from './holdout.ts'
import { createInconclusive } from './inconclusive.ts'
import { MalformedDefinitionError } from './malformed-definition-error.ts'
import { readArray, readBoolean, readNumber, readObject } from './read-value.ts'
import { createFindings, mergeFindings } from './scope.ts'
import type { Findings, SharedScope } from './scope.ts'

/** A compiled flag before its dependencies are resolved. */
export interface UnlinkedFlag {
  /** The flag as if it had no dependencies. */
  readonly flag: CompiledFlag
  /** Findings by group type; undefined stands for persons. Empty for a flag with a constant result. */
  readonly findings: ReadonlyMap<string | undefined, Findings>
  /** Direct dependencies: flag key to the path of the first filter on it. */
  readonly dependencies: ReadonlyMap<string, string>
  /** The result when all properties are known and a dependency is missing. */
  readonly missingDependency: Evaluation
}

const CONTINUITY_RESULT = createInconclusive(
  'experience_continuity',
  'only the service knows the id that this flag was first evaluated for',
)
const NO_DEVICE_RESULT = createInconclusive('missing_context', 'the device id was not given')
const NO_ID_RESULT = createInconclusive('missing_context', 'the distinct id was not given')

const createWithoutPayload = createConclusiveFactory({})

const EMPTY_FLAG: Omit<CompiledFlag, 'key' | 'definition'> = {
  prefix: '',
  settled: undefined,
  settledLocally: undefined,
  continuity: false,
  byDevice: false,
  idUnknown: NO_ID_RESULT,
  asksFlags: false,
  groupType: undefined,
  enrolment: undefined,
  holdout: undefined,
  earlyExit: false,
  conditions: [],
  bounds: [],
  whole: 0,
  noMatch: createWithoutPayload(false, 'no_condition_match'),
  noGroup: createWithoutPayload(false, 'no_group_type'),
  problems: [],
}

/** A flag with the same result for everyone. */
const createConstantFlag = (
  key: string,
  definition: JsonObject,
  settled: Evaluation,
  settledLocally: Evaluation,
  problems: readonly string[],
): UnlinkedFlag => ({
  flag: { ...EMPTY_FLAG, key, definition: definition as unknown as FlagDefinition, settled, settledLocally, problems },
  findings: new Map(),
  dependencies: new Map(),
  missingDependency: settled,
})

const compileActiveFlag = (
  key: string,
  definition: JsonObject,
  continuity: boolean,
  shared: SharedScope,
): UnlinkedFlag => {
  const filters = readObject(definition['filters'], 'filters')
  const createConclusive = createConclusiveFactory(readObject(filters['payloads'], 'filters.payloads'))
  const variants = compileVariants(filters['multivariate'])
  const groupIndex = readNumber(filters['aggregation_group_type_index'], 'filters.aggregation_group_type_index')
  const groupType = groupIndex === undefined ? undefined : getGroupType(shared, groupIndex)
  const noGroup = createConclusive(false, 'no_group_type')

  const findings = new Map<string | undefined, Findings>()
  const findingsFor = (type: string | undefined): Findings => {
    const typeFindings = findings.get(type) ?? createFindings()
    findings.set(type, typeFindings)
    return typeFindings
  }
  const defaults = { groupIndex, groupType, variants: variants.keys, createConclusive, findingsFor }
  const conditions = readArray(filters['groups'], 'filters.groups').map((group, index) =>
    compileCondition(group, index, shared, defaults),
  )
  const holdout = compileHoldout(filters['holdout'], (value) => createConclusive(value, 'holdout_condition_value'))
  const hasEnrolment = readBoolean(filters['feature_enrollment'], 'filters.feature_enrollment')
  const enrolment = hasEnrolment ? compileEnrolment(key, createConclusive) : undefined
  if (enrolment) findingsFor(undefined).keys.add(enrolment.propertyKey)

  const allFindings = createFindings()
  for (const typeFindings of findings.values()) mergeFindings(allFindings, typeFindings, 'filters')
  const unknownType =
    groupIndex !== undefined && groupType === undefined
      ? `filters.aggregation_group_type_index: there is no group type ${groupIndex}`
      : undefined
  const localProblem = unknownType ?? [...allFindings.localProblems][0]
  const unsupported: Inconclusive | undefined =
    localProblem === undefined ? undefined : createInconclusive('unsupported_definition', localProblem)
  const byDevice = [definition['bucketing_identifier'], filters['bucketing_identifier']].includes('device_id')
  return {
    flag: {
      ...EMPTY_FLAG,
      key,
      definition: definition as unknown as FlagDefinition,
      prefix: `${key}.`,
      settled: unknownType === undefined ? undefined : noGroup,
      settledLocally: continuity ? CONTINUITY_RESULT : unknownType === undefined ? undefined : unsupported,
      continuity,
      byDevice,
      idUnknown: unsupported ?? (byDevice ? NO_DEVICE_RESULT : NO_ID_RESULT),
      groupType,
      enrolment,
      holdout,
      earlyExit: readBoolean(filters['early_exit'], 'filters.early_exit'),
      conditions,
      bounds: variants.bounds,
      whole: variants.fixedIndex,
      noMatch: createConclusive(false, 'no_condition_match'),
      noGroup,
      problems: [...(unknownType === undefined ? [] : [unknownType]), ...allFindings.problems],
    },
    findings,
    dependencies: allFindings.dependencies,
    missingDependency: createConclusive(false, 'missing_dependency'),
  }
}

/** Compiles one definition. Never throws: a malformed definition becomes a flag without a value, whose reason names the problem. */
export const compileFlag = (key: string, definition: JsonObject, shared: SharedScope): UnlinkedFlag => {
  if (definition['active'] === false) {
    const disabledResult = createWithoutPayload(false, 'flag_disabled')
    return createConstantFlag(key, definition, disabledResult, disabledResult, [])
  }
  const continuity = definition['ensure_experience_continuity'] === true
  try {
    if (definition['active'] !== true) throw new MalformedDefinitionError('active', 'must be true or false')
    return compileActiveFlag(key, definition, continuity, shared)
  } catch (error) {
    // Other errors happen too: a definition can be nested too deep for the call stack.
    const problem =
      error instanceof MalformedDefinitionError
        ? error.message
        : `the definition cannot be read: ${describeError(error)}`
    const problemResult = createInconclusive('unsupported_definition', problem)
    const localResult = continuity ? CONTINUITY_RESULT : problemResult
    return createConstantFlag(key, definition, problemResult, localResult, [problem])
  }
}
