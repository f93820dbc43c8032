import type { Consent } from '../../capture/state.ts'
import type { ConsentDecision } from './extra-verbs.ts'

/** Returns what the user has decided. Undefined: nothing is known of the user. */
export const readConsent = (isOptedOut: Consent | undefined): ConsentDecision =>
  typeof isOptedOut === 'boolean' ? (isOptedOut ? 'denied' : 'granted') : 'undecided'
