import type { PersonProfiles } from '../capture/user-properties.ts'
import type { FlagVerbs } from '../flags/flag-verbs.ts'
import type { SurveyVerbs } from '../surveys/survey-verbs.ts'
import { MAX_ID_CHARACTERS } from '../wire/bounds.ts'
import { isMergeableId } from '../wire/is-mergeable-id.ts'
import { isNonBlankString } from '../wire/is-non-blank-string.ts'
import type { CaptureWaymark } from './waymark.ts'

/** When a call of a verb is refused. */
export interface VerbRule {
  /** It changes something: refused after `shutdown()`. */
  readonly isChange?: boolean
  /** It needs a person profile: refused with `personProfiles: 'never'`. */
  readonly needsProfile?: boolean
  /**
   * Number of leading arguments that are ids: refused when one is blank, or has more than `MAX_ID_CHARACTERS`. The bound of group types and
   * keys is the same.
   */
  readonly idCount: number
}

const FREE: VerbRule = { idCount: 0 }
const CHANGE: VerbRule = { isChange: true, idCount: 0 }
const changeOfProfile = (idCount: number): VerbRule => ({ isChange: true, needsProfile: true, idCount })
const PROFILE = changeOfProfile(0)
const SURVEY: VerbRule = { idCount: 1 }

/** Verbs with their rules. */
export type VerbTable<Verbs> = Readonly<Record<keyof Verbs & string, VerbRule>>

/** The verbs of every agent. */
export const CAPTURE_VERBS: VerbTable<CaptureWaymark> = {
  capture: FREE,
  pageview: FREE,
  screen: FREE,
  identify: changeOfProfile(1),
  alias: changeOfProfile(1),
  setPersonProperties: PROFILE,
  createPersonProfile: PROFILE,
  group: changeOfProfile(2),
  groupIdentify: changeOfProfile(2),
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
  surveyShown: SURVEY,
  surveySent: SURVEY,
  surveyDismissed: SURVEY,
}

/**
 * Why a call is refused; undefined when it is allowed.
 *
 * @param args Ids are strings, or undefined.
 */
export const getRefusalReason = (
  personProfiles: PersonProfiles | undefined,
  { isChange, needsProfile, idCount }: VerbRule,
  args: readonly unknown[],
  isClosed: boolean | undefined,
): string | undefined => {
  if (isChange && isClosed) return 'shut down'
  if (needsProfile && personProfiles === 'never') return 'personProfiles'
  // The last one is the id of a person, a group or a survey.
  const isValid = (arg: unknown, index: number): boolean =>
    (index + 1 < idCount ? isNonBlankString : isMergeableId)(arg)
  const ids = args.slice(0, idCount).filter(isValid) as readonly string[]
  if (ids.length < idCount) return 'invalid id'
  return ids.some((id) => id.length > MAX_ID_CHARACTERS) ? 'id_too_long' : undefined
}
