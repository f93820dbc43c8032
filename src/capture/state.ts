import type { Session } from './session.ts'

/** What the agent knows of its user: identity, consent and session, in one record with one revision. */
export interface State {
  /** Grows with every change; of two copies the higher one is right. Activity of the session alone does not count. */
  readonly revision: number
  readonly distinctId: string
  /** The id of the first start or the last reset; stays when the user is identified. */
  readonly anonymousId: string
  /** Stays across `reset()` unless asked otherwise; never an identified id. */
  readonly deviceId: string
  readonly isIdentified: boolean
  /** True once a call (identify, alias, group…) asked for a person profile. */
  readonly hasProfile: boolean
  readonly superProperties: Readonly<Record<string, unknown>>
  /** Group type to group key. */
  readonly groups: Readonly<Record<string, string>>
  readonly isOptedOut: boolean
  readonly session?: Session
}

/** The state of a user who was never seen before. */
export function freshState(id: string, isOptedOut: boolean, deviceId: string = id): State {
  return {
    revision: 1,
    distinctId: id,
    anonymousId: id,
    deviceId,
    isIdentified: false,
    hasProfile: false,
    superProperties: {},
    groups: {},
    isOptedOut,
  }
}

/** Reads a stored copy; a corrupt or foreign one is as good as none. */
export function parseState(text: string | null | undefined): State | undefined {
  try {
    const state = JSON.parse(text ?? '') as State
    return state.revision > 0 && state.distinctId && state.superProperties && state.groups ? state : undefined
  } catch {
    return undefined
  }
}

/** Whether `one` was written after `other`: the higher revision, or at the same one the later activity. */
export function isNewer(one: State, other: State): boolean {
  const byRevision = one.revision - other.revision
  return byRevision > 0 || (!byRevision && (one.session?.activeAt ?? 0) > (other.session?.activeAt ?? 0))
}

/**
 * The state after a newer stored copy was found late: `base` is what this page started with, `current` what the page's own
 * calls have made of it since. Those calls are kept; everything else is the stored copy's, and after a `reset()` only its device id
 * and consent.
 */
export function rebase(stored: State, base: State, current: State): State {
  if (current.revision === base.revision) return stored
  const kept = {
    deviceId: current.deviceId === base.deviceId ? stored.deviceId : current.deviceId,
    isOptedOut: current.isOptedOut === base.isOptedOut ? stored.isOptedOut : current.isOptedOut,
    revision: stored.revision + (current.revision - base.revision),
  }
  if (isReset(base, current)) return { ...current, ...kept }
  const { distinctId, isIdentified } = current
  return {
    ...stored,
    ...(distinctId !== base.distinctId && { distinctId, isIdentified }),
    ...kept,
    hasProfile: stored.hasProfile || current.hasProfile,
    superProperties: { ...stored.superProperties, ...changed(base.superProperties, current.superProperties) },
    groups: { ...stored.groups, ...changed(base.groups, current.groups) },
  }
}

/** Whether `reset()` was called between the two. */
export function isReset(base: State, current: State): boolean {
  return current.anonymousId !== base.anonymousId
}

function changed<T>(before: Readonly<Record<string, T>>, after: Readonly<Record<string, T>>): Record<string, T> {
  return Object.fromEntries(Object.entries(after).filter(([key, value]) => before[key] !== value))
}

/** An event's JSON with the identity of `base` exchanged for that of `stored`. */
export function exchangeIdentity(json: string, base: State, stored: State): string {
  const event = JSON.parse(json) as { distinct_id: string; properties: Record<string, unknown> }
  const { properties } = event
  if (event.distinct_id === base.distinctId) {
    event.distinct_id = stored.distinctId
    if ('$is_identified' in properties) properties.$is_identified = stored.isIdentified
    if ((stored.hasProfile || stored.isIdentified) && properties.$process_person_profile === false)
      properties.$process_person_profile = true
  }
  for (const key of ['distinct_id', '$anon_distinct_id']) {
    if (properties[key] === base.distinctId) properties[key] = stored.distinctId
  }
  if (properties.$device_id === base.deviceId) properties.$device_id = stored.deviceId
  if (stored.session && properties.$session_id === base.session?.id) properties.$session_id = stored.session.id
  const groups = { ...stored.groups, ...(properties.$groups as object | undefined) }
  if (Object.keys(groups).length) properties.$groups = groups
  event.properties = { ...stored.superProperties, ...properties }
  return JSON.stringify(event)
}
