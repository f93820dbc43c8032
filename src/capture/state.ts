import { idToString } from '../wire/id-to-string.ts'
import type { Id } from '../wire/id-to-string.ts'
import { isNewId } from '../wire/is-new-id.ts'
import { parseJson } from '../wire/parse-json.ts'
import type { Session } from './session.ts'

/** Key of the state in the page's synchronous storage. */
export const STATE_STORAGE_KEY = 'state'

/**
 * Whether the user has opted out. A boolean is the user's decision; 0 (no) and 1 (yes) are the site's default until there is one. So the code
 * that only asks whether events may be captured reads it like a boolean.
 */
export type Consent = boolean | 0 | 1

/** Identity, consent and session of the user, in one record with one revision. */
export interface State {
  /** Grows with every change, but not with session activity alone. Of two copies, the one with the higher revision is newer. */
  readonly revision: number
  readonly distinctId: string
  /** The id of the first start or the last reset; `identify` does not change it. */
  readonly anonymousId: string
  /** Created by the agent. `identify` never changes it, and `reset()` only when asked to. */
  readonly deviceId: string
  readonly isIdentified: boolean
  /** True after a call that creates a person profile: identify, alias, group and others. */
  readonly hasProfile: boolean
  readonly superProperties: Readonly<Record<string, unknown>>
  /** Group type to group key. */
  readonly groups: Readonly<Record<string, string>>
  readonly isOptedOut: Consent
  /** Fingerprints of the person and group properties that were sent, so that equal ones are not sent twice. */
  readonly told?: Readonly<Record<string, number>>
  readonly session?: Session
  /** Groups and super properties are too large for a cookie that hosts share: each host has its own, until `reset()`. */
  readonly isPartial?: boolean
  /** Entry of the user's first session. Null after an event with a person profile has contained it. */
  readonly initial?: Session['entry'] | null
}

/** Creates the state of a new user. */
export const createInitialState = (id: string, isOptedOut: Consent): State => ({
  revision: 1,
  distinctId: id,
  anonymousId: id,
  deviceId: id,
  isIdentified: false,
  hasProfile: false,
  superProperties: {},
  groups: {},
  isOptedOut,
})

/** Parses a stored copy; undefined when it is missing, is not JSON, or lacks the members of a state. */
export const parseState = (json: string | null | undefined): State | undefined => {
  // The first exception of a page takes 30 ms on a slow phone. So a missing copy, as new users have, must not cause one.
  const state = parseJson(json || 'null') as State | null | undefined
  return state && state.revision > 0 && state.distinctId && state.superProperties && state.groups ? state : undefined
}

/** Whether `state` is newer than `other`: it has the higher revision, or the same revision and later activity. */
export const isNewer = (state: State, other: State): boolean => {
  const byRevision = state.revision - other.revision
  return byRevision > 0 || (!byRevision && (state.session?.activeAt ?? 0) > (other.session?.activeAt ?? 0))
}

/** The user's identity, as the server that rendered the page passes it to the agent. */
export interface IdentityBootstrap {
  readonly distinctId?: Id | undefined
  /** True when `distinctId` is an id for `identify`. Default: it is an anonymous id. */
  readonly isIdentifiedId?: boolean | undefined
}

/** Applies the server's id to a new user's state. The device id stays. */
export const withBootstrap = (state: State, bootstrap: IdentityBootstrap | null | undefined): State => {
  const distinctId = idToString(bootstrap?.distinctId)
  if (!isNewId(distinctId)) return state
  return bootstrap?.isIdentifiedId
    ? { ...state, distinctId, isIdentified: true, hasProfile: true }
    : { ...state, distinctId, anonymousId: distinctId }
}
