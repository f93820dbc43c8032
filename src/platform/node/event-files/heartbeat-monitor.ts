/** Interval in which an owner touches its folder, and in which other processes check it. */
export const HEARTBEAT_INTERVAL_MS = 10_000

/** An owner is dead after this many checks without a change. Network file systems show a change up to 60 s late. */
const MAX_MISSED_HEARTBEATS = 10

/** An owner whose heartbeat is older than this is dead at the first check, because short-lived processes do not check often. */
const MAX_HEARTBEAT_AGE_MS = 600_000

/** Detects dead owners on other hosts and in other containers, where only the time of the last heartbeat is visible. */
export interface HeartbeatMonitor {
  /**
   * Checks a folder once.
   *
   * @param changedAt Time of the last heartbeat, in milliseconds since 1970.
   * @param now Current time, in milliseconds since 1970.
   */
  isOwnerDead(name: string, changedAt: number, now: number): boolean
  /** Forgets all folders that are not in `names`. */
  retainOnly(names: ReadonlySet<string>): void
}

/**
 * Counts checks instead of measuring time, because a wrong or jumping clock cannot add checks.
 *
 * A clock that is more than ten minutes ahead still makes a living owner look dead. That owner notices at its next write, so events may be
 * sent twice, but none is lost.
 */
export const createHeartbeatMonitor = (): HeartbeatMonitor => {
  const checked = new Map<string, { readonly changedAt: number; readonly missed: number }>()
  return {
    isOwnerDead(name, changedAt, now) {
      const previous = checked.get(name)
      const missed = previous?.changedAt === changedAt ? previous.missed + 1 : 0
      checked.set(name, { changedAt, missed })
      return missed >= MAX_MISSED_HEARTBEATS || now - changedAt >= MAX_HEARTBEAT_AGE_MS
    },
    retainOnly(names) {
      for (const name of checked.keys()) if (!names.has(name)) checked.delete(name)
    },
  }
}
