import type { Conclusive, Inconclusive, ReasonCode } from '../../../evaluate/evaluation.ts'
import type { FlagDetail } from '../../../wire/decide.ts'
import type { FlagDefinition } from '../../../wire/definition.ts'
import type { DecideResult } from './decide-result.ts'
import { memoize } from './memoize.ts'

/**
 * Serialises flags with their details, as version 2 of `/flags` and version 4 of `/decide` send them. Includes disabled and failed flags.
 *
 * @returns The member `flags` of a JSON object, without the braces of that object.
 */
export const serializeDetails = ({ results }: DecideResult): string => {
  let details = ''
  for (const { definition, evaluation } of results)
    details +=
      evaluation.value === undefined
        ? serializeMember(definition, failedDetail(definition, evaluation))
        : serializeConclusive(definition, evaluation)
  return `"flags":{${details.slice(1)}}`
}

/** The result begins with a comma. */
const serializeMember = ({ key }: FlagDefinition, detail: FlagDetail): string =>
  `,${JSON.stringify(key)}:${JSON.stringify(detail)}`

const conclusiveDetail = (definition: FlagDefinition, evaluation: Conclusive): FlagDetail => {
  const { value, variant = null, reason: code, conditionIndex = null, payloadText = null } = evaluation
  return {
    key: definition.key,
    enabled: value !== false,
    variant,
    reason: { code, condition_index: conditionIndex, description: describeReason(code, conditionIndex) },
    metadata: toMetadata(definition, payloadText),
  }
}

/** Cached by the evaluation object. A compiled flag reuses these objects for all requests. */
const serializeConclusive = memoize((definition, evaluation) =>
  serializeMember(definition, conclusiveDetail(definition, evaluation)),
)

const failedDetail = (definition: FlagDefinition, { reason: code, detail }: Inconclusive): FlagDetail => ({
  key: definition.key,
  enabled: false,
  variant: null,
  failed: true,
  reason: { code, condition_index: null, description: detail },
  metadata: toMetadata(definition, null),
})

const toMetadata = (definition: FlagDefinition, payload: string | null): NonNullable<FlagDetail['metadata']> => ({
  id: definition.id,
  version: definition.version ?? 1,
  // The management API keeps a flag's description in its `name`; its identifier is `key`.
  description: definition.name || null,
  payload,
  has_experiment: definition.has_experiment === true,
})

const describeReason = (code: ReasonCode, conditionIndex: number | null): string =>
  code === 'condition_match' && conditionIndex !== null
    ? `Matched condition set ${conditionIndex + 1}`
    : DESCRIPTIONS[code]

/** Shown to people; programs use the reason code. */
const DESCRIPTIONS: Readonly<Record<ReasonCode, string>> = {
  super_condition_value: 'Decided by the enrolment in an early access feature',
  holdout_condition_value: 'Held out',
  condition_match: 'Matched a condition set',
  no_condition_match: 'No condition set matched',
  out_of_rollout_bound: 'Outside of the rollout percentage',
  no_group_type: 'The group that the flag is for was not given',
  missing_dependency: 'A flag that this one depends on is missing',
  flag_disabled: 'The flag is switched off',
}
