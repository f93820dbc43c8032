import { timeOfUuidV7 } from '../codec/uuid.ts'

/** A visit: activity without a gap longer than the idle limit, and not longer than the longest length. */
export interface Session {
  readonly id: string
  /** Milliseconds since 1970. */
  readonly startedAt: number
  /** Milliseconds since 1970: the last event or read of the session id. */
  readonly activeAt: number
  /** `$session_entry_…`: where it began. It goes with every event of the session. */
  readonly entry?: Readonly<Record<string, unknown>>
}

/** What a new session begins with, beside its times. */
export type NewSession = (now: number) => Pick<Session, 'id' | 'entry'>

/** A session ends after this many milliseconds even with constant activity (the field's 24 hours). */
export const SESSION_LENGTH_MS: number = 24 * 3_600_000

/**
 * The session that goes on at `now`, or a new one. A clock that was set back by less than a session's length continues the session.
 *
 * @param idleMs A gap of this many milliseconds ends a session.
 */
export const continueSession = (
  session: Session | undefined,
  now: number,
  idleMs: number,
  begin: NewSession,
): Session => {
  if (session && now - session.activeAt < idleMs && Math.abs(now - session.startedAt) < SESSION_LENGTH_MS) {
    return { ...session, activeAt: Math.max(now, session.activeAt) }
  }
  return { ...begin(now), startedAt: now, activeAt: now }
}

/** The running session that an id from elsewhere names: a version 7 uuid tells its start. Undefined for another text, or a start after `now`. */
export const sessionOf = (id: string, now: number): Session | undefined => {
  const startedAt = timeOfUuidV7(id)
  return startedAt !== undefined && startedAt <= now ? { id, startedAt, activeAt: now } : undefined
}

/** Of the page's properties: its address, what led to it, and the campaign, whose names have no dollar. */
const ENTRY = /^(?:\$(?:current_)?(url|host|pathname|referr.+)|[^$].*)$/

/** The properties that tell where a session began, from those of its first moment. */
export const entryOf = (automatic: Readonly<Record<string, unknown>>): Record<string, unknown> => {
  const entry: Record<string, unknown> = {}
  for (const name of Object.keys(automatic)) {
    const found = ENTRY.exec(name)
    if (found) entry[`$session_entry_${found[1] ?? name}`] = automatic[name]
  }
  return entry
}

/** The properties that tell of a person where the first session began. */
export const initialOf = (entry: NonNullable<Session['entry']>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(entry).map(([name, value]) => [
      name.replace('$session_entry', '$initial').replace('$initial_url', '$initial_current_url'),
      value,
    ]),
  )
