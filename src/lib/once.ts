import { noop } from './noop.ts'

/** Wraps a function so that only its first call has an effect: a failure that lasts is reported once. */
export const once =
  <Subject>(call: (subject: Subject) => void): ((subject: Subject) => void) =>
  (subject) => {
    const firstCall = call
    call = noop
    firstCall(subject)
  }
