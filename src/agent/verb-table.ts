import type { PersonProfiles } from '../capture/enrich.ts'
import { isText } from '../capture/is-text.ts'
import type { Waymark } from './waymark.ts'

/** A verb that may always be called; more by one for each of its first arguments that must be a text that is not empty. */
const FREE = 0
/** A verb that changes something, which after `shutdown()` stays as it is; more by one as above. */
const CHANGE = 10
/** The same, and it needs a person profile; more by one as above. */
const PROFILE = 20

/** All verbs, and what each needs. */
export const VERBS: Readonly<Record<keyof Waymark, number>> = {
  capture: FREE,
  pageview: FREE,
  screen: FREE,
  identify: PROFILE + 1,
  alias: PROFILE + 1,
  setPersonProperties: PROFILE,
  createPersonProfile: PROFILE,
  group: PROFILE + 2,
  groupIdentify: PROFILE + 2,
  reset: CHANGE,
  register: CHANGE,
  registerOnce: CHANGE,
  unregister: CHANGE,
  registerForSession: CHANGE,
  getFeatureFlag: FREE,
  isFeatureEnabled: FREE,
  getFeatureFlagPayload: FREE,
  getFeatureFlagResult: FREE,
  getFeatureFlags: FREE,
  getFeatureFlagsAndPayloads: FREE,
  onFeatureFlags: FREE,
  reloadFeatureFlags: FREE,
  setPersonPropertiesForFlags: PROFILE,
  resetPersonPropertiesForFlags: PROFILE,
  setGroupPropertiesForFlags: PROFILE,
  resetGroupPropertiesForFlags: PROFILE,
  surveyShown: FREE + 1,
  surveySent: FREE + 1,
  surveyDismissed: FREE + 1,
  // Who objects is heard at any time.
  optOut: FREE,
  optIn: CHANGE,
  isOptedOut: FREE,
  getDistinctId: FREE,
  getAnonymousId: FREE,
  getDeviceId: FREE,
  getSessionId: FREE,
  resetSession: CHANGE,
  flush: FREE,
  shutdown: FREE,
  debug: FREE,
}

/** Why a call must change nothing and send nothing; undefined when it may go on. */
export const refusalOf = (
  personProfiles: PersonProfiles | undefined,
  verb: keyof Waymark,
  args: readonly unknown[],
  isClosed: boolean,
): string | undefined => {
  const needs = VERBS[verb]
  const texts = needs % CHANGE
  if (needs >= CHANGE && isClosed) return 'shut down'
  if (needs >= PROFILE && personProfiles === 'never') return "personProfiles is 'never'"
  return args.slice(0, texts).filter(isText).length < texts ? 'a text is missing' : undefined
}
