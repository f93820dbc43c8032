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
export function continueSession(session: Session | undefined, now: number, idleMs: number, begin: NewSession): Session {
  if (session && now - session.activeAt < idleMs && Math.abs(now - session.startedAt) < SESSION_LENGTH_MS) {
    return { ...session, activeAt: Math.max(now, session.activeAt) }
  }
  return { ...begin(now), startedAt: now, activeAt: now }
}

/** The running session that an id from elsewhere names: a version 7 uuid tells its start. Undefined for another text, or a start after `now`. */
export function sessionOf(id: string, now: number): Session | undefined {
  const startedAt = timeOfUuidV7(id)
  return startedAt !== undefined && startedAt <= now ? { id, startedAt, activeAt: now } : undefined
}

/** The properties that tell where a session began, from those of its first moment. */
export function entryOf(automatic: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return {
    $session_entry_url: automatic.$current_url,
    $session_entry_host: automatic.$host,
    $session_entry_pathname: automatic.$pathname,
    $session_entry_referrer: automatic.$referrer,
    $session_entry_referring_domain: automatic.$referring_domain,
  }
}
