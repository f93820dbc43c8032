/** A visit: activity without a gap longer than the idle limit, and not longer than the longest length. */
export interface Session {
  readonly id: string
  /** Milliseconds since 1970. */
  readonly startedAt: number
  /** Milliseconds since 1970: the last event or read of the session id. */
  readonly activeAt: number
}

/** A gap of this many milliseconds ends a session (the field's 30 minutes). */
export const SESSION_IDLE_MS: number = 30 * 60_000

/** A session ends after this many milliseconds even with constant activity (the field's 24 hours). */
export const SESSION_LENGTH_MS: number = 24 * 3_600_000

/** The session that goes on at `now`, or a new one. A clock that was set back by less than a session's length continues the session. */
export function continueSession(session: Session | undefined, now: number, newId: (now: number) => string): Session {
  if (session && now - session.activeAt < SESSION_IDLE_MS && Math.abs(now - session.startedAt) < SESSION_LENGTH_MS) {
    return { ...session, activeAt: Math.max(now, session.activeAt) }
  }
  return { id: newId(now), startedAt: now, activeAt: now }
}
