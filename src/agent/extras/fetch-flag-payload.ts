import type { State } from '../../capture/state.ts'
import type { FetchFlags } from '../../flags/fetch-flags.ts'
import { getFlagPayload } from '../../flags/flag-detail.ts'

/** Asks the service for the payload of one flag. */
export const fetchFlagPayload = async (
  key: string,
  { distinctId, anonymousId, isIdentified, deviceId, groups }: State,
  fetchFlags: FetchFlags,
): Promise<unknown> => {
  const subject = {
    distinct_id: distinctId,
    $anon_distinct_id: isIdentified ? anonymousId : undefined,
    $device_id: deviceId,
    groups,
    flag_keys_to_evaluate: [key],
  }
  // A snapshot without an owner needs no remote config.
  const { snapshot } = await fetchFlags({}, subject, () => true)
  return getFlagPayload(snapshot.flags?.[key])
}
