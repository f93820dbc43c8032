import { unsupported } from './open.ts'
import { type Rule, textOf } from './rule.ts'

/** Lookaround and back references cannot be run in linear time; what two dashes in a class mean depends on the dialect. */
const notRun = /\(\?(?!:)|\\[1-9]|\\k|\[[^\]]*--/u

/** Whether the pattern is found, or not, anywhere in the text. One that is no pattern matches nobody either way. */
export const regex =
  (found: boolean): Rule =>
  (wanted, knowledge) => {
    const { complete, deviations } = knowledge
    const pattern = textOf(wanted, knowledge)
    // What word boundaries and letters beyond ASCII mean differs between engines: left to the service.
    const boundary = /\\b/iu.test(pattern)
    const notHere = deviations.has('no text with a carriage return is searched') ? /[^\0-\x7f]|\r/u : /[^\0-\x7f]/u
    const open = (): never => unsupported({ regex: true })
    if (notRun.test(pattern)) return open
    if (!isPattern(pattern)) return () => false
    return (given) => {
      const searched = textOf(given, knowledge)
      if (!complete && pattern !== '' && (boundary || notHere.test(searched))) return open()
      return new RegExp(pattern).test(searched) === found
    }
  }

const isPattern = (pattern: string): boolean => {
  try {
    return Boolean(new RegExp(pattern))
  } catch {
    return false
  }
}
