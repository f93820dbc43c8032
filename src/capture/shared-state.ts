import { haveSameJson } from '../lib/have-same-json.ts'
import { stringify } from '../lib/stringify.ts'
import type { Session } from './session.ts'
import { isNewer, parseState } from './state.ts'
import type { State } from './state.ts'

/*
 * The state as a cookie has it, which the hosts of a site share. Each request to the site carries the cookie, and browsers refuse a large one.
 * So it has what tells who the visitor is, whatever else the state has. The cookie of an earlier version has the whole state; such a version
 * also reads this one.
 */

/** Maximum bytes of groups and super properties together. Beyond it, each host has its own. */
const MAX_PROPERTIES_BYTES = 1024

/** Maximum bytes of a cookie with them: browsers refuse 4,096 bytes with the name. Long ids of other scripts come near. */
const MAX_COOKIE_BYTES = 3_900

/** Maximum bytes of a cookie with the pages where the session and the visitor began. Beyond it, only the host where they began knows them. */
const MAX_ENTRY_COOKIE_BYTES = 2048

/**
 * Returns the part of a state that a cookie has.
 *
 * @param onTooLarge Called when groups and super properties do not fit.
 */
export const toSharedState = (json: string, onTooLarge: () => void): string => {
  const { initial, session, isPartial, told: _, ...identity } = JSON.parse(json) as State
  const { superProperties, groups } = identity
  const { entry, ...visit }: Partial<Session> = session ?? {}
  // While other hosts have their own, the small ones of this host must not replace them.
  const isTooLarge =
    isPartial ??
    (cookieBytes({ superProperties, groups }) > MAX_PROPERTIES_BYTES ||
      cookieBytes([identity, visit]) > MAX_COOKIE_BYTES)
  if (isTooLarge) onTooLarge()
  const shared = {
    ...identity,
    ...(isTooLarge && { superProperties: {}, groups: {}, isPartial: true }),
  }
  const withEntry = { ...shared, session, initial: haveSameJson(initial, entry) ? undefined : initial }
  return stringify(
    cookieBytes(withEntry) > MAX_ENTRY_COOKIE_BYTES
      ? { ...shared, session: session && visit, initial: null }
      : withEntry,
  )
}

/**
 * Completes the state of a cookie by what this host has of the same visitor. An unreadable or older cookie, which a refused write leaves, does
 * not change what this host has: the visitor may have opted out here.
 *
 * @param ownJson This host's copy of the state; null if it has none.
 */
export const mergeSharedState = (sharedJson: string, ownJson: string | null): string => {
  const shared = parseState(sharedJson)
  if (!shared) return ownJson ?? sharedJson
  const own = parseState(ownJson)
  const isSameVisitor = own && own.anonymousId === shared.anonymousId
  if (isSameVisitor && isNewer(own, shared)) return stringify({ isPartial: shared.isPartial, ...own })
  const { told, initial, session, superProperties, groups }: Partial<State> = isSameVisitor ? own : {}
  const isSameSession = session && session.id === shared.session?.id
  return stringify({
    ...shared,
    ...(shared.isPartial && superProperties && { superProperties, groups }),
    told: shared.told ?? told,
    // Without it, the visitor began with the session.
    initial: initial === undefined ? (shared.initial === undefined ? shared.session?.entry : shared.initial) : initial,
    session: isSameSession ? { ...session, ...shared.session } : shared.session,
  })
}

const cookieBytes = (value: unknown): number => encodeURIComponent(stringify(value)).length
