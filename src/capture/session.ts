import { timeOfUuidV7 } from '../codec/uuid.ts'

/** A visit of the user: it ends after a gap in the activity of `idleMs`, and after `MAX_SESSION_MS` at the latest. */
export interface Session {
  readonly id: string
  /** Milliseconds since 1970. */
  readonly startedAt: number
  /** Milliseconds since 1970: the last event, or the start of the session. */
  readonly activeAt: number
  /** `$session_entry_…` properties: where the session began. Every event of the session has them. Undefined in an app, which has no URL. */
  readonly entry?: Readonly<Record<string, unknown>>
}

/** Creates a session without its times. */
export type CreateSession = (now: number) => Pick<Session, 'id' | 'entry'>

/** A session ends after this many milliseconds even with constant activity (24 hours, as in other analytics tools). */
export const MAX_SESSION_MS: number = 24 * 3_600_000

/**
 * Returns the session that is active at `now`, or a new one. A clock that was set back by less than `MAX_SESSION_MS` continues the session.
 *
 * @param idleMs A gap of this many milliseconds ends a session.
 */
export const continueSession = (
  session: Session | undefined,
  now: number,
  idleMs: number,
  create: CreateSession,
): Session => {
  if (session && now - session.activeAt < idleMs && Math.abs(now - session.startedAt) < MAX_SESSION_MS) {
    return { ...session, activeAt: Math.max(now, session.activeAt) }
  }
  return { ...create(now), startedAt: now, activeAt: now }
}

/**
 * Creates the session of an id that another page has created: a version 7 uuid, which contains the session's start. Undefined for any other
 * string, for a start after `now`, and for a session that is over.
 */
export const sessionFromId = (id: string, now: number): Session | undefined => {
  const startedAt = timeOfUuidV7(id) ?? Infinity
  return startedAt <= now && now - startedAt < MAX_SESSION_MS ? { id, startedAt, activeAt: now } : undefined
}

/** Names of page properties that describe an entry: URL, referrer, and campaign parameters, whose names have no dollar sign. */
const ENTRY = /^(?:\$(?:current_)?(url|host|pathname|referr.+)|[^$].*)$/

/** The `$session_entry_…` properties, from the automatic properties at the session's start. Undefined when none of them describes an entry. */
export const entryProperties = (automatic: Readonly<Record<string, unknown>>): Session['entry'] => {
  let entry: Record<string, unknown> | undefined
  // oxlint-disable-next-line oxc/no-accumulating-spread -- a dozen names at most, and fewer bytes for every page
  for (const name of Object.keys(automatic)) {
    const match = ENTRY.exec(name)
    if (match) entry = { ...entry, [`$session_entry_${match[1] ?? name}`]: automatic[name] }
  }
  return entry
}

/** The `$initial_…` person properties, from the entry of the user's first session. */
export const initialProperties = (entry: NonNullable<Session['entry']>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(entry).map(([name, value]) => [
      name.replace('$session_entry', '$initial').replace('$initial_url', '$initial_current_url'),
      value,
    ]),
  )
