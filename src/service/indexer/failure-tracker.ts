/** The current reasons why events cannot be stored, one per name. */
export interface FailureTracker {
  /** Sets the reason of a name; null removes it. */
  set(name: string, reason: string | null): void
  has(name: string): boolean
}

/**
 * Tracks failures and reports the oldest current one, so that an operator sees one reason at a time.
 *
 * @param onChange receives the oldest reason each time it changes; null when no failure is left.
 */
export const createFailureTracker = (onChange: (reason: string | null) => void): FailureTracker => {
  const reasons = new Map<string, string>()
  let reported: string | null = null
  return {
    has: (name) => reasons.has(name),
    set(name, reason) {
      if (reason === null) reasons.delete(name)
      else reasons.set(name, reason)
      const [oldest = null] = reasons.values()
      if (oldest !== reported) onChange(oldest)
      reported = oldest
    },
  }
}
