import type { Conclusive, Inconclusive, ReasonCode } from '../../../evaluate/evaluation.ts'
import type { FlagDetail } from '../../../wire/decide.ts'
import type { FlagDefinition } from '../../../wire/definition.ts'
import type { Evaluated } from './evaluated.ts'
import { madeOnce } from './memoize.ts'

/**
 * Flags in the form of the protocol's second generation, off ones and failed ones too: the member `flags` of a JSON object,
 * without its braces.
 */
export const detailsText = ({ results }: Evaluated): string => {
  let details = ''
  for (const { definition, evaluation } of results)
    details +=
      evaluation.value === undefined
        ? memberOf(definition, failed(definition, evaluation))
        : computedMember(definition, evaluation)
  return `"flags":{${details.slice(1)}}`
}

/** Begins with a comma. */
const memberOf = ({ key }: FlagDefinition, detail: FlagDetail): string =>
  `,${JSON.stringify(key)}:${JSON.stringify(detail)}`

const computed = (definition: FlagDefinition, evaluation: Conclusive): FlagDetail => {
  const { value, variant = null, reason: code, conditionIndex = null, payloadText = null } = evaluation
  return {
    key: definition.key,
    enabled: value !== false,
    variant,
    reason: { code, condition_index: conditionIndex, description: describe(code, conditionIndex) },
    metadata: metadataOf(definition, payloadText),
  }
}

const computedMember = madeOnce((definition, evaluation) => memberOf(definition, computed(definition, evaluation)))

const failed = (definition: FlagDefinition, { reason: code, detail }: Inconclusive): FlagDetail => ({
  key: definition.key,
  enabled: false,
  variant: null,
  failed: true,
  reason: { code, condition_index: null, description: detail },
  metadata: metadataOf(definition, null),
})

const metadataOf = (definition: FlagDefinition, payload: string | null): NonNullable<FlagDetail['metadata']> => ({
  id: definition.id,
  version: definition.version ?? 1,
  description: definition.name || null,
  payload,
  has_experiment: definition.has_experiment === true,
})

const describe = (code: ReasonCode, conditionIndex: number | null): string =>
  code === 'condition_match' && conditionIndex !== null
    ? `Matched condition set ${conditionIndex + 1}`
    : DESCRIPTIONS[code]

/** For people; programs read the code. */
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
