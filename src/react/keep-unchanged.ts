import type { FlagResult } from '../flags/flag-verbs.ts'

/**
 * Returns `last` while `next` has the same content, so that React sees no change: a bootstrapped result, that of the agent and that of another
 * agent are different objects. If only value or variant have changed, the payload stays the object that it was.
 */
export const keepUnchanged = (last: FlagResult | undefined, next: FlagResult | undefined): FlagResult | undefined => {
  if (!last || !next) return next
  const payload = isSameJson(last.payload, next.payload) ? last.payload : next.payload
  const isUnchanged = last.enabled === next.enabled && last.variant === next.variant && last.payload === payload
  return isUnchanged ? last : { ...next, payload }
}

const isSameJson = (a: unknown, b: unknown): boolean => a === b || JSON.stringify(a) === JSON.stringify(b)
