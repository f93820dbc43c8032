import type { Conclusive } from '../evaluate/evaluation.ts'
import type { FlagDefinition } from '../wire/definition.ts'
import { MINIMAL_PROPERTIES } from './called-properties.ts'
import type { KnownFlag } from './local-flags.ts'

/** No request told this value: neither its id nor its errors belong to it. */
const CALLED: Readonly<Record<string, unknown>> = {
  locally_evaluated: true,
  $feature_flag_request_id: undefined,
  $feature_flag_error: undefined,
  $used_bootstrap_value: undefined,
}

/** What a minimal `$feature_flag_called` keeps where flags may be evaluated beside the service. */
export const MINIMAL: RegExp = new RegExp(`${MINIMAL_PROPERTIES.source}|^locally_evaluated$`)

/**
 * A flag that was evaluated here, in the form of an answer of the service. Without `has_experiment`: the gate of the service is not that of
 * these definitions.
 */
export const knownFlag = (
  { value, variant, payloadText, reason, conditionIndex }: Conclusive,
  { id, version, has_experiment }: FlagDefinition,
  isMinimal: boolean,
): KnownFlag => ({
  enabled: value !== false,
  variant,
  reason: { code: reason, condition_index: conditionIndex ?? null },
  metadata: { id, version, payload: payloadText },
  called: CALLED,
  only: isMinimal && has_experiment === false ? MINIMAL : undefined,
})
