import type { Session } from './session.ts'
import { isText } from './is-text.ts'

/** The key of the state in the page's synchronous storage. */
export const STATE = 'state'

/** What the agent knows of its user: identity, consent and session, in one record with one revision. */
export interface State {
  /** Grows with every change; of two copies the higher one is right. Activity of the session alone does not count. */
  readonly revision: number
  readonly distinctId: string
  /** The id of the first start or the last reset; stays when the user is identified. */
  readonly anonymousId: string
  /** Made by the agent; stays across `reset()` unless asked otherwise, and whatever `identify` is given. */
  readonly deviceId: string
  readonly isIdentified: boolean
  /** True once a call (identify, alias, group…) asked for a person profile. */
  readonly hasProfile: boolean
  readonly superProperties: Readonly<Record<string, unknown>>
  /** Group type to group key. */
  readonly groups: Readonly<Record<string, string>>
  readonly isOptedOut: boolean
  /** Fingerprints of the person and group properties that went out: the same ones are not sent twice. */
  readonly told?: Readonly<Record<string, number>>
  readonly session?: Session
  /** Where the user's first session began, until it was told of a person; then null. */
  readonly initial?: Session['entry'] | null
}

/** The state of a user who was never seen before. */
export const freshState = (id: string, isOptedOut: boolean): State => ({
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

/** Reads a stored copy; a corrupt or foreign one is as good as none. */
export const parseState = (text: string | null | undefined): State | undefined => {
  try {
    // The first exception of a page costs a slow phone 30 ms: none for a user who was never seen before.
    const state = JSON.parse(text || 'null') as State | null
    return state && state.revision > 0 && state.distinctId && state.superProperties && state.groups ? state : undefined
  } catch {
    return undefined
  }
}

/** Whether `one` was written after `other`: the higher revision, or at the same one the later activity. */
export const isNewer = (one: State, other: State): boolean => {
  const byRevision = one.revision - other.revision
  return byRevision > 0 || (!byRevision && (one.session?.activeAt ?? 0) > (other.session?.activeAt ?? 0))
}

/** Who the user is, as the page's server knows it. */
export interface IdentityBootstrap {
  readonly distinctId?: string | undefined
  /** The id is one that `identify` would be given; default: an anonymous one. */
  readonly isIdentifiedId?: boolean | undefined
}

/** A fresh state under an id that the page's server has chosen; the device keeps its own. */
export const withBootstrap = (fresh: State, given: IdentityBootstrap | null | undefined): State => {
  const { distinctId, isIdentifiedId } = given ?? {}
  if (!isText(distinctId)) return fresh
  return isIdentifiedId
    ? { ...fresh, distinctId, isIdentified: true, hasProfile: true }
    : { ...fresh, distinctId, anonymousId: distinctId }
}
