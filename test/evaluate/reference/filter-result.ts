import { combineUnknown } from './unknown.ts'
import type { Unknown } from './unknown.ts'

/** Whether a filter matches. */
export type FilterResult = boolean | Unknown

/** AND: false wins over unknown, unknown wins over true. */
export const every = (results: readonly FilterResult[]): FilterResult => {
  if (results.includes(false)) return false
  return results.reduce<true | Unknown>((unknown, result) => {
    if (typeof result !== 'object') return unknown
    return combineUnknown(unknown === true ? undefined : unknown, result)
  }, true)
}

/**
 * AND of a condition group with the deviation 'a static cohort counts in written order': a static cohort ends the flag only if it is
 * the first unknown result. A later one is only unknown, and patterns in it block nothing.
 */
export const everyInOrder = (results: readonly FilterResult[]): FilterResult => {
  const firstUnknown = results.find((result) => typeof result === 'object')
  const isEnded = typeof firstUnknown === 'object' && firstUnknown.requiresServer === true
  if (isEnded && !results.includes(false)) return firstUnknown
  return every(
    results.map((result) => (typeof result === 'object' && result.requiresServer ? { reason: result.reason } : result)),
  )
}

/**
 * The results that count in a cohort with the same deviation: the first one that decides or requires the service, or all results if
 * there is none.
 */
export const selectFirstDecision = (
  results: readonly FilterResult[],
  decidingValue: boolean,
): readonly FilterResult[] => {
  const index = results.findIndex(
    (result) => result === decidingValue || (typeof result === 'object' && result.requiresServer),
  )
  return index < 0 ? results : results.slice(index, index + 1)
}

/** NOT: unknown stays unknown. */
export const not = (result: FilterResult): FilterResult => (typeof result === 'boolean' ? !result : result)

/** OR, expressed by AND. */
export const some = (results: readonly FilterResult[]): FilterResult => not(every(results.map(not)))
