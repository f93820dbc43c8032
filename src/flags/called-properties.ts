import type { FlagDetail } from '../wire/decide.ts'
import type { FlagsBootstrap } from './flags-options.ts'
import { own } from './own.ts'
import { parsePayload } from './payload.ts'

/**
 * Properties that a minimal `$feature_flag_called` keeps: facts about the flag, ids, session, campaign and library. No others, so
 * that neither super properties nor the page's referrer go along.
 */
export const MINIMAL_PROPERTIES: RegExp =
  /^(\$(feature_flag.*|used_bootstrap_value|(device|session|window)_id|groups|is_identified|process_person_profile|geoip_disable|lib.*)|distinct_id|utm_.+|\w+(clk?|_c)id|[gw]braid|gad_source|gclsrc|li_fat_id|igshid|epik|_kx)$/

/** What `$feature_flag_called` says; undefined properties are left out on the wire. */
export const calledProperties = (
  key: string,
  flag: FlagDetail | undefined,
  value: unknown,
  bootstrap: FlagsBootstrap | undefined,
): Record<string, unknown> => {
  const bootstrapped = own(bootstrap?.featureFlags, key)
  const { metadata, reason } = flag ?? {}
  return {
    $feature_flag: key,
    $feature_flag_response: value,
    $feature_flag_payload: parsePayload(metadata?.payload),
    $feature_flag_id: metadata?.id,
    $feature_flag_version: metadata?.version,
    $feature_flag_reason: reason?.description ?? reason?.code,
    [`$feature/${key}`]: value,
    ...(bootstrapped !== undefined && {
      $feature_flag_bootstrapped_response: bootstrapped,
      $feature_flag_bootstrapped_payload: parsePayload(own(bootstrap?.featureFlagPayloads, key)),
    }),
  }
}
