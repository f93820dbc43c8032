import type { OutgoingEvent } from './before-send.ts'
import { initialOf } from './session.ts'
import type { Session } from './session.ts'
import type { State } from './state.ts'

/** When person profiles are made: for everybody, for those who were identified (default), or never. */
export type PersonProfiles = 'always' | 'identified_only' | 'never'

/** What a capture was given and what was known at its moment. */
export interface EventInput {
  readonly uuid: string
  readonly name: string
  /** Milliseconds since 1970. */
  readonly at: number
  readonly properties: Readonly<Record<string, unknown>>
  /** Of all properties, those with such names alone are kept. */
  readonly only?: RegExp | undefined
  /** Instead of the user's. */
  readonly distinctId: string | undefined
  /** Default: as `automatic` has it. */
  readonly isGeoipDisabled: boolean | undefined
  /** The platform's properties: page, device, library. */
  readonly automatic: Readonly<Record<string, unknown>>
  /** `$feature/<key>` and `$active_feature_flags`. */
  readonly flags: Readonly<Record<string, unknown>> | undefined
  /** Properties that were registered for the session alone. */
  readonly ofSession: Readonly<Record<string, unknown>>
}

/** What an event has in common with those before and after it, the stronger the later; it changes seldom, and then another object comes. */
export const sharedProperties = (
  input: EventInput,
  state: State,
  session: Session,
): readonly (object | undefined)[] => [input.automatic, input.flags, session.entry, state.superProperties]

/** An event without what it shares: the caller's properties win over automatic ones. */
export const enrichOwn = (
  input: EventInput,
  state: State,
  session: Session,
  /** The browser tab; undefined where there are no tabs. */
  windowId: string | undefined,
  personProfiles: PersonProfiles,
): OutgoingEvent => {
  const { distinctId = state.distinctId } = input
  const { initial = session.entry } = state
  // Of somebody else nothing is known here; the caller's properties may say more.
  const who = distinctId === state.distinctId ? state : { isIdentified: false, hasProfile: false }
  const hasGroups = Object.keys(state.groups).length > 0
  const event: OutgoingEvent = {
    uuid: input.uuid,
    event: input.name,
    distinct_id: distinctId,
    timestamp: new Date(input.at).toISOString(),
    properties: {
      ...input.ofSession,
      $device_id: state.deviceId,
      $session_id: session.id,
      $window_id: windowId,
      $groups: hasGroups ? { ...state.groups } : undefined,
      $is_identified: who.isIdentified,
      $process_person_profile: hasPersonProfile(who, personProfiles),
      ...(typeof input.isGeoipDisabled === 'boolean' && { $geoip_disable: input.isGeoipDisabled }),
      ...input.properties,
      distinct_id: distinctId,
    },
  }
  const { properties } = event
  if (initial && who === state && properties.$process_person_profile)
    properties.$set_once = { ...initialOf(initial), ...(properties.$set_once as object) }
  return event
}

/**
 * The whole event: its own properties win over the shared ones.
 *
 * @param only Given: properties with such names alone are kept.
 */
export const withShared = (
  own: OutgoingEvent,
  shared: readonly (object | undefined)[],
  only: RegExp | undefined,
): OutgoingEvent => {
  const properties: Record<string, unknown> = Object.assign({}, ...shared, own.properties)
  if (only) for (const key in properties) if (!only.test(key)) delete properties[key]
  return { ...own, properties }
}

/** Whether events of this user belong to a person profile. */
export const hasPersonProfile = (
  state: Pick<State, 'isIdentified' | 'hasProfile'>,
  personProfiles: PersonProfiles,
): boolean =>
  personProfiles === 'always' || (personProfiles === 'identified_only' && (state.isIdentified || state.hasProfile))
