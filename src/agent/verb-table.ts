import type { PersonProfiles } from '../capture/user-properties.ts'
import type { FlagVerbs } from '../flags/flag-verbs.ts'
import type { SurveyVerbs } from '../surveys/survey-verbs.ts'
import { MAX_ID_CHARACTERS } from '../wire/bounds.ts'
import { isMergeableId } from '../wire/is-mergeable-id.ts'
import { isNonBlankString } from '../wire/is-non-blank-string.ts'
import type { CaptureWaymark } from './waymark.ts'

/**
 * Each verb has one of three kinds, as a multiple of ten. The last digit is the number of leading arguments that are ids: not blank, and at
 * most `MAX_ID_CHARACTERS` long. The bound of group types and keys is the same.
 *
 * `FREE`: allowed at any time.
 */
const FREE = 0
/** Changes something: refused after `shutdown()`. */
const CHANGE = 10
/** Changes something and needs a person profile: also refused with `personProfiles: 'never'`. */
const PROFILE = 20

/** Verbs with their kind and number of ids. */
export type VerbTable<Verbs> = Readonly<Record<keyof Verbs & string, number>>

/** The verbs of every agent. */
export const CAPTURE_VERBS: VerbTable<CaptureWaymark> = {
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
  // An objection counts even after `shutdown()`.
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
  getStatus: FREE,
  debug: FREE,
}

export const FLAG_VERBS: VerbTable<FlagVerbs> = {
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
}

export const SURVEY_VERBS: VerbTable<SurveyVerbs> = {
  surveyShown: FREE + 1,
  surveySent: FREE + 1,
  surveyDismissed: FREE + 1,
}

/** Number of leading arguments of a verb that are ids. @param rule The verb's entry in its table. */
export const getIdCount = (rule: number): number => rule % CHANGE

/**
 * Why a call is refused; undefined when it is allowed.
 *
 * @param rule The verb's entry in its table.
 * @param args Ids are strings, or undefined.
 */
export const getRefusalReason = (
  personProfiles: PersonProfiles | undefined,
  rule: number,
  args: readonly unknown[],
  isClosed: boolean | undefined,
): string | undefined => {
  const idCount = getIdCount(rule)
  if (rule >= CHANGE && isClosed) return 'shut down'
  if (rule >= PROFILE && personProfiles === 'never') return 'personProfiles'
  // The last one is the id of a person, a group or a survey.
  const isValid = (arg: unknown, index: number): boolean =>
    (index + 1 < idCount ? isNonBlankString : isMergeableId)(arg)
  const ids = args.slice(0, idCount).filter(isValid) as readonly string[]
  if (ids.length < idCount) return 'invalid id'
  return ids.some((id) => id.length > MAX_ID_CHARACTERS) ? 'id_too_long' : undefined
}
