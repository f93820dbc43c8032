import type { DecideRequest } from '../wire/decide.ts'
import type { FetchedFlags, FetchFlags } from './fetch-flags.ts'
import type { FlagSnapshot } from './flag-snapshot.ts'

/**
 * Fetches only the flags with these keys. They replace those in the snapshot; a key that the response does not contain is removed.
 */
export const fetchFlagsByKey = async (
  keys: readonly string[],
  fetchFlags: FetchFlags,
  snapshot: FlagSnapshot,
  subject: DecideRequest,
  isCurrent: () => boolean,
): Promise<FetchedFlags> => {
  const result = await fetchFlags(snapshot, { ...subject, flag_keys_to_evaluate: keys }, isCurrent)
  const { flags } = result.snapshot
  const requestedKeys = new Set(keys)
  const otherFlags = Object.entries(snapshot.flags ?? {}).filter(([key]) => !requestedKeys.has(key))
  return {
    ...result,
    snapshot: {
      ...result.snapshot,
      flags: flags && { ...Object.fromEntries(otherFlags), ...flags },
      // Without a request id the flags were bootstrapped, and a bootstrap may contain only some flags.
      isPart: snapshot.isPart || !snapshot.requestId,
    },
  }
}
