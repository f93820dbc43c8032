import type { Conclusive } from '../evaluate/evaluation.ts'
import type { FlagDefinition } from '../wire/definition.ts'
import { MINIMAL_CALLED_PROPERTIES } from './called-properties.ts'
import type { ResolvedFlag } from './local-flags.ts'

/**
 * Properties of `$feature_flag_called`. The value came from no request and no bootstrap, so undefined removes what the caller adds for
 * those.
 */
const FLAG_CALLED_PROPERTIES: Readonly<Record<string, unknown>> = {
  locally_evaluated: true,
  $feature_flag_request_id: undefined,
  $feature_flag_error: undefined,
  $used_bootstrap_value: undefined,
}

/** Matches the properties that a minimal `$feature_flag_called` event keeps where flags are evaluated locally. */
export const MINIMAL_LOCAL_PROPERTIES: RegExp = new RegExp(`${MINIMAL_CALLED_PROPERTIES.source}|^locally_evaluated$`)

/**
 * Converts a local evaluation to the form of a flag in a response. It leaves out `has_experiment`, by which the caller would apply the
 * setting for minimal events of the service's last response. `sendsMinimalEvents`, from the flag definitions, can differ from that.
 */
export const toResolvedFlag = (
  { value, variant, payloadText, reason, conditionIndex }: Conclusive,
  { id, version, has_experiment }: FlagDefinition,
  sendsMinimalEvents: boolean,
): ResolvedFlag => ({
  enabled: value !== false,
  variant,
  reason: { code: reason, condition_index: conditionIndex ?? null },
  metadata: { id, version, payload: payloadText },
  calledProperties: FLAG_CALLED_PROPERTIES,
  allowedNames: sendsMinimalEvents && has_experiment === false ? MINIMAL_LOCAL_PROPERTIES : undefined,
})
