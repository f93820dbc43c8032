import { worse } from './open.ts'
import type { Open } from './open.ts'

/** Whether a condition holds. */
export type Verdict = boolean | Open

/** AND: what fails beats what is not known, which beats what holds. */
export const every = (verdicts: readonly Verdict[]): Verdict => {
  if (verdicts.includes(false)) return false
  return verdicts.reduce<true | Open>((open, verdict) => {
    if (typeof verdict !== 'object') return open
    return worse(open === true ? undefined : open, verdict)
  }, true)
}

/** Where static cohorts count where they are met, in a group: only as the first of the open questions does it end the flag. */
export const everyWhereMet = (verdicts: readonly Verdict[]): Verdict => {
  const all = every(verdicts)
  if (typeof all !== 'object') return all
  const first = verdicts.find((verdict) => typeof verdict === 'object')
  return typeof first === 'object' && first.requiresServer ? first : { ...all, requiresServer: false }
}

/** Where static cohorts count where they are met, in a cohort: no member after it is looked at. */
export const asFarAsMet = (verdicts: readonly Verdict[], decisive: boolean): readonly Verdict[] => {
  const end = verdicts.findIndex(
    (verdict) => verdict === decisive || (typeof verdict === 'object' && verdict.requiresServer),
  )
  return end < 0 ? verdicts : verdicts.slice(end, end + 1)
}

export const not = (verdict: Verdict): Verdict => (typeof verdict === 'boolean' ? !verdict : verdict)

/** OR, by AND. */
export const some = (verdicts: readonly Verdict[]): Verdict => not(every(verdicts.map(not)))
