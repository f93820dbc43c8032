import { CAMPAIGN } from '../port/campaign.ts'
import type { FlagDetail } from '../wire/decide.ts'
import { payloadOf, valueOf } from './flag-detail.ts'

/**
 * Names of the properties that a minimal `$feature_flag_called` keeps: facts about the flag, ids, session, campaign and library. No
 * others, so that neither super properties nor the page's referrer go along.
 */
export const MINIMAL_PROPERTIES: RegExp = new RegExp(
  `${CAMPAIGN.source}|^(\\$(feature_flag|used_b|((device|session|window)_id|groups|is_identified|lib(_version)?)$|process_|geoip_d)|distinct_id$)`,
)

/**
 * What `$feature_flag_called` says beyond what every event tells, `$feature/<key>` among it; undefined properties are left out on the
 * wire.
 *
 * @param bootstrapped What was bootstrapped for this flag.
 * @param isAnswered Whether the service has answered on this page.
 */
export const calledProperties = (
  key: string,
  flag: FlagDetail | undefined,
  bootstrapped: FlagDetail | undefined,
  isAnswered: boolean,
): Record<string, unknown> => ({
  $feature_flag: key,
  $feature_flag_response: valueOf(flag),
  $feature_flag_payload: payloadOf(flag),
  $feature_flag_id: flag?.metadata?.id,
  $feature_flag_version: flag?.metadata?.version,
  $feature_flag_reason: flag?.reason?.description ?? flag?.reason?.code,
  $feature_flag_bootstrapped_response: valueOf(bootstrapped),
  $feature_flag_bootstrapped_payload: payloadOf(bootstrapped),
  $used_bootstrap_value: bootstrapped && !isAnswered,
})
