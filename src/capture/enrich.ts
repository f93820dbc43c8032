import type { OutgoingEvent } from './before-send.ts'
import type { State } from './state.ts'

/** When person profiles are made: for everybody, for those who were identified (default), or never. */
export type PersonProfiles = 'always' | 'identified_only' | 'never'

/** What is known at the moment of a capture, beside the caller's own properties. */
export interface Surroundings {
  readonly uuid: string
  /** Milliseconds since 1970. */
  readonly at: number
  readonly state: State
  readonly sessionId: string
  /** The browser tab; undefined where there are no tabs. */
  readonly windowId: string | undefined
  /** The platform's properties: page, device, library. */
  readonly automatic: Readonly<Record<string, unknown>>
  /** `$feature/<key>` and `$active_feature_flags`. */
  readonly flags: Readonly<Record<string, unknown>>
  readonly personProfiles: PersonProfiles
}

/** Assembles an event: the caller's properties win over super properties, which win over automatic ones. */
export function enrich(
  event: string,
  properties: Readonly<Record<string, unknown>>,
  around: Surroundings,
): OutgoingEvent {
  const { state } = around
  const hasGroups = Object.keys(state.groups).length > 0
  return {
    uuid: around.uuid,
    event,
    distinct_id: state.distinctId,
    timestamp: new Date(around.at).toISOString(),
    properties: {
      ...around.automatic,
      ...around.flags,
      ...state.superProperties,
      distinct_id: state.distinctId,
      $device_id: state.deviceId,
      $session_id: around.sessionId,
      $window_id: around.windowId,
      $groups: hasGroups ? { ...state.groups } : undefined,
      $is_identified: state.isIdentified,
      $process_person_profile: hasPersonProfile(state, around.personProfiles),
      ...properties,
    },
  }
}

/** Whether events of this user belong to a person profile. */
export function hasPersonProfile(state: State, personProfiles: PersonProfiles): boolean {
  return (
    personProfiles === 'always' || (personProfiles === 'identified_only' && (state.isIdentified || state.hasProfile))
  )
}
