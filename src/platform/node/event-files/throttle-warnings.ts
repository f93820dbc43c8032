import type { Clock } from '../../../port/clock.ts'

/** The same message is repeated only after this time. */
const REPEAT_AFTER_MS = 600_000

/** Number of different messages that are remembered. */
const MAX_MESSAGES = 100

/** Passes each message on at most once in ten minutes, for conditions that come and go, such as a full disk. */
export const throttleWarnings = (warn: (message: string) => void, clock: Clock): ((message: string) => void) => {
  const lastWarnedAt = new Map<string, number>()
  return (message) => {
    const now = clock.now()
    const last = lastWarnedAt.get(message)
    if (last !== undefined && last <= now && now - last < REPEAT_AFTER_MS) return
    if (lastWarnedAt.size >= MAX_MESSAGES) lastWarnedAt.clear()
    lastWarnedAt.set(message, now)
    warn(message)
  }
}
