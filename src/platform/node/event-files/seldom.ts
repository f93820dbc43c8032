import type { Clock } from '../../../port/clock.ts'

/** So long the same message is not told again. */
const PAUSE_MS = 600_000

/** More different messages are not remembered. */
const MESSAGES_MAX = 100

/** Tells the same only once in ten minutes: a disk that is full, and is not, and is again. */
export const seldom = (warn: (message: string) => void, clock: Clock): ((message: string) => void) => {
  const told = new Map<string, number>()
  return (message) => {
    const now = clock.now()
    const before = told.get(message)
    if (before !== undefined && before <= now && now - before < PAUSE_MS) return
    if (told.size >= MESSAGES_MAX) told.clear()
    told.set(message, now)
    warn(message)
  }
}
