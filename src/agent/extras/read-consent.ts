import type { Consent } from '../../capture/state.ts'

/** Returns what the user has decided. @param undecided Returned without a decision, and when nothing is known of the user. */
export const readConsent = <Undecided extends string>(
  isOptedOut: Consent | undefined,
  undecided: Undecided,
): 'granted' | 'denied' | Undecided =>
  typeof isOptedOut === 'boolean' ? (isOptedOut ? 'denied' : 'granted') : undecided
