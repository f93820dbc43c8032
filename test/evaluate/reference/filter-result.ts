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

/** AND of a condition group when static cohorts count in written order: one ends the flag only as the first unknown result. */
export const everyInOrder = (results: readonly FilterResult[]): FilterResult => {
  const all = every(results)
  if (typeof all !== 'object') return all
  const first = results.find((result) => typeof result === 'object')
  return typeof first === 'object' && first.requiresServer ? first : { ...all, requiresServer: false }
}

/** The results of a cohort when static cohorts count in written order: up to and only the one that decides. */
export const upToDecision = (results: readonly FilterResult[], decisive: boolean): readonly FilterResult[] => {
  const end = results.findIndex(
    (result) => result === decisive || (typeof result === 'object' && result.requiresServer),
  )
  return end < 0 ? results : results.slice(end, end + 1)
}

export const not = (result: FilterResult): FilterResult => (typeof result === 'boolean' ? !result : result)

/** OR, expressed by AND. */
export const some = (results: readonly FilterResult[]): FilterResult => not(every(results.map(not)))
