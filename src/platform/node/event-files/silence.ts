/** How often an owner shows that it lives, in milliseconds, and how often others look. */
export const BEAT_MS = 10_000

/** So many looks in a row without a change: the owner is dead. Network file systems show a change up to 60 s late. */
const SILENT_LOOKS = 10

/** So old by the wall clock: dead at first sight, for processes that do not live long enough to look often. */
const SILENT_MS = 600_000

/** Tells dead owners on other hosts and in other containers, of which nothing can be seen but that they touch their folder. */
export interface Silence {
  /**
   * Looks at a folder once.
   *
   * @param changedAt When it was touched last, in milliseconds.
   * @returns Whether its owner is taken for dead.
   */
  isSilent(name: string, changedAt: number, now: number): boolean
  /** Forgets all folders but these. */
  keep(names: ReadonlySet<string>): void
}

/**
 * Counts looks, which a wrong or jumping clock cannot make more. A clock that is ahead by more than ten minutes makes a living owner look dead; that
 * one finds out at its next write, so that events may be sent twice, but none is lost.
 */
export const createSilence = (): Silence => {
  const seen = new Map<string, { readonly changedAt: number; readonly looks: number }>()
  return {
    isSilent(name, changedAt, now) {
      const before = seen.get(name)
      const looks = before?.changedAt === changedAt ? before.looks + 1 : 0
      seen.set(name, { changedAt, looks })
      return looks >= SILENT_LOOKS || now - changedAt >= SILENT_MS
    },
    keep(names) {
      for (const name of seen.keys()) if (!names.has(name)) seen.delete(name)
    },
  }
}
