import { CAMPAIGN_PARAMETER } from '../lib/campaign-parameter.ts'
import type { FlagDetail } from '../wire/decide.ts'
import { getFlagPayload, getFlagValue } from './flag-detail.ts'

/**
 * Matches the properties that a minimal `$feature_flag_called` keeps: facts about the flag, ids, session, campaign and library.
 * Super properties and the page's referrer are left out.
 */
export const MINIMAL_CALLED_PROPERTIES: RegExp = new RegExp(
  `${CAMPAIGN_PARAMETER.source}|^(\\$(feature_flag|used_b|((device|session|window)_id|groups|is_identified|lib(_version)?)$|process_|geoip_d)|distinct_id$)`,
)

/**
 * Creates the properties of `$feature_flag_called` that other events do not have. Undefined properties are not sent.
 *
 * @param bootstrappedFlag The bootstrapped value of this flag.
 * @param hasResponse Whether the service has responded on this page.
 */
export const createCalledProperties = (
  key: string,
  flag: FlagDetail | undefined,
  bootstrappedFlag: FlagDetail | undefined,
  hasResponse: boolean,
): Record<string, unknown> => ({
  $feature_flag: key,
  $feature_flag_response: getFlagValue(flag),
  $feature_flag_payload: getFlagPayload(flag),
  $feature_flag_id: flag?.metadata?.id,
  $feature_flag_version: flag?.metadata?.version,
  $feature_flag_reason: flag?.reason?.description ?? flag?.reason?.code,
  $feature_flag_bootstrapped_response: getFlagValue(bootstrappedFlag),
  $feature_flag_bootstrapped_payload: getFlagPayload(bootstrappedFlag),
  $used_bootstrap_value: bootstrappedFlag && !hasResponse,
})
