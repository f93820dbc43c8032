import type { Status } from '../../capture/status.ts'
import { createFlagDetails } from '../../flags/flag-detail.ts'
import { createReadVerbs } from '../../flags/read-verbs.ts'
import type { Options } from '../options.ts'
import type { Waymark } from '../waymark.ts'

/** Verbs that only read. */
type ReadVerb = Extract<keyof Waymark, `get${string}` | `is${string}`>

const NO_STATUS: Status = {
  waitingEvents: 0,
  lastDelivery: undefined,
  lastError: undefined,
  nextAttempt: undefined,
}

/**
 * Creates the verbs that answer before the storage was read: for an unknown user who has opted out, with the bootstrapped flags.
 *
 * @param onFlagRead Called when a bootstrapped flag was read that callers want to report.
 */
export const createEarlyAnswers = (
  bootstrap: Options['bootstrap'],
  onFlagRead: (name: string) => void,
): Pick<Waymark, ReadVerb> => {
  const details = createFlagDetails(bootstrap?.featureFlags, bootstrap?.featureFlagPayloads)
  // Those that are off are left out, as after the start.
  const flags = Object.fromEntries(Object.entries(details).filter(([, { enabled }]) => enabled))
  return {
    ...createReadVerbs(
      () => flags,
      (name, flag) => flag && onFlagRead(name),
    ),
    isOptedOut: () => true,
    getDistinctId: () => '',
    getAnonymousId: () => '',
    getDeviceId: () => '',
    getSessionId: () => '',
    getStatus: () => NO_STATUS,
  }
}
