import type { OutgoingEvent } from './before-send.ts'
import { initialProperties } from './session.ts'
import type { Session } from './session.ts'
import type { State } from './state.ts'

/** When person profiles are created: for every user, for identified users (default), or never. */
export type PersonProfiles = 'always' | 'identified_only' | 'never'

/** The arguments of a capture, and the context at the time of the call. */
export interface EventInput {
  readonly uuid: string
  readonly name: string
  readonly timestampMs: number
  readonly properties: Readonly<Record<string, unknown>>
  /** Keeps only properties whose names match. Default: keeps all. */
  readonly allowedNames?: RegExp | undefined
  /** Default: the user's. */
  readonly distinctId: string | undefined
  /** Default: as in `automaticProperties`. */
  readonly isGeoipDisabled: boolean | undefined
  /** The platform's properties: page, device, library. */
  readonly automaticProperties: Readonly<Record<string, unknown>>
  /** `$feature/<key>` and `$active_feature_flags`. */
  readonly flagProperties: Readonly<Record<string, unknown>> | undefined
  /** Properties that were registered for the session only. */
  readonly sessionProperties: Readonly<Record<string, unknown>>
}

/** Collects the property objects that consecutive events share; later objects win. They change rarely, and a change replaces the object. */
export const collectSharedProperties = (
  input: EventInput,
  state: State,
  session: Session,
): readonly (object | undefined)[] => [
  input.automaticProperties,
  input.flagProperties,
  session.entry,
  state.superProperties,
]

/** Builds an event without its shared properties. The caller's properties win over automatic ones. */
export const buildEvent = (
  input: EventInput,
  state: State,
  session: Session,
  /** The browser tab; undefined on platforms without tabs. */
  windowId: string | undefined,
  personProfiles: PersonProfiles,
): OutgoingEvent => {
  const { distinctId = state.distinctId } = input
  const { initial = session.entry } = state
  // The agent knows only the current user. For another user, the caller can set these properties.
  const user = distinctId === state.distinctId ? state : { isIdentified: false, hasProfile: false }
  const hasGroups = Object.keys(state.groups).length > 0
  const event: OutgoingEvent = {
    uuid: input.uuid,
    event: input.name,
    distinct_id: distinctId,
    timestamp: new Date(input.timestampMs).toISOString(),
    properties: {
      ...input.sessionProperties,
      $device_id: state.deviceId,
      $session_id: session.id,
      $window_id: windowId,
      $groups: hasGroups ? { ...state.groups } : undefined,
      $is_identified: user.isIdentified,
      $process_person_profile: hasPersonProfile(user, personProfiles),
      ...(typeof input.isGeoipDisabled === 'boolean' && { $geoip_disable: input.isGeoipDisabled }),
      ...input.properties,
      distinct_id: distinctId,
    },
  }
  const { properties } = event
  if (initial && user === state && properties.$process_person_profile)
    properties.$set_once = { ...initialProperties(initial), ...(properties.$set_once as object) }
  return event
}

/**
 * Returns the whole event. Its own properties win over the shared ones.
 *
 * @param allowedNames Keeps only properties whose names match. Default: keeps all.
 */
export const mergeSharedProperties = (
  event: OutgoingEvent,
  shared: readonly (object | undefined)[],
  allowedNames: RegExp | undefined,
): OutgoingEvent => {
  const properties: Record<string, unknown> = Object.assign({}, ...shared, event.properties)
  if (allowedNames) for (const key in properties) if (!allowedNames.test(key)) delete properties[key]
  return { ...event, properties }
}

/** Whether events of this user belong to a person profile. */
export const hasPersonProfile = (
  state: Pick<State, 'isIdentified' | 'hasProfile'>,
  personProfiles: PersonProfiles,
): boolean =>
  personProfiles === 'always' || (personProfiles === 'identified_only' && (state.isIdentified || state.hasProfile))
