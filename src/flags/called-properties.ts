import type { FlagDetail } from '../wire/decide.ts'
import type { FlagsBootstrap } from './flags-options.ts'
import { own } from './own.ts'
import { parsePayload } from './payload.ts'

/**
 * Names of the properties that a minimal `$feature_flag_called` keeps: facts about the flag, ids, session, campaign (`utm_…`,
 * `gclid`, `gbraid`, `mc_cid`…) and library. No others, so that neither super properties nor the page's referrer go along.
 */
export const MINIMAL_PROPERTIES: RegExp =
  /^(\$(feature_flag|used_b|(device|session|window)_id$|groups$|is_identified$|process_|geoip_d|lib)|distinct_id$|utm_|gad_|li_fat_id$|\w+(clk?id|braid|_cid)$)/

/**
 * What `$feature_flag_called` says; undefined properties are left out on the wire.
 *
 * @param isAnswered Whether the service has answered on this page.
 */
export const calledProperties = (
  key: string,
  flag: FlagDetail | undefined,
  value: unknown,
  bootstrap: FlagsBootstrap | undefined,
  isAnswered: boolean,
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
      $used_bootstrap_value: !isAnswered,
    }),
  }
}
