import { initialProperties } from './session.ts'
import type { Session } from './session.ts'
import type { State } from './state.ts'

/** When person profiles are created: for every user, for identified users (default), or never. */
export type PersonProfiles = 'always' | 'identified_only' | 'never'

/** Creates the properties that describe the user of an event, who may be another one than the current user. */
export const createUserProperties = (
  state: State,
  distinctId: string,
  personProfiles: PersonProfiles | undefined,
): Record<string, unknown> => {
  // The agent knows only the current user. For another user, the caller can set these properties.
  const user = distinctId === state.distinctId ? state : { isIdentified: false, hasProfile: false }
  return {
    $device_id: state.deviceId,
    $groups: Object.keys(state.groups).length ? { ...state.groups } : undefined,
    $is_identified: user.isIdentified,
    $process_person_profile:
      personProfiles === 'always' || (personProfiles !== 'never' && (user.isIdentified || user.hasProfile)),
  }
}

/** Adds where the current user's first session began, to an event that belongs to a person profile. The caller's values win. */
export const addInitialProperties = (
  properties: Record<string, unknown>,
  session: Session,
  { distinctId, initial = session.entry }: State,
): void => {
  if (initial && properties.distinct_id === distinctId && properties.$process_person_profile)
    properties.$set_once = { ...initialProperties(initial), ...(properties.$set_once as object) }
}
