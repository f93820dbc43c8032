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
 * the first unknown result.
 */
export const everyInOrder = (results: readonly FilterResult[]): FilterResult => {
  const combination = every(results)
  if (typeof combination !== 'object') return combination
  const firstUnknown = results.find((result) => typeof result === 'object')
  return typeof firstUnknown === 'object' && firstUnknown.requiresServer
    ? firstUnknown
    : { ...combination, requiresServer: false }
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
