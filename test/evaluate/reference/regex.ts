import { unsupported } from './open.ts'
import type { Json } from '../../../src/wire/json.ts'
import { printed, textOf } from './rule.ts'
import type { Rule } from './rule.ts'

/** Lookaround and back references cannot be run in linear time; what two dashes in a class mean depends on the dialect. */
const notRun = /\(\?(?!:)|\\[1-9]|\\k|\[[^\]]*--/u

/** Whether a filter value is a pattern that can be run, or is none. */
export const isRun = (wanted: Json): boolean => !notRun.test(printed(wanted))

/** Whether the pattern is found, or not, anywhere in the text. One that is no pattern matches nobody either way. */
export const regex =
  (found: boolean): Rule =>
  (wanted, knowledge) => {
    const { complete, deviations } = knowledge
    const pattern = textOf(wanted, knowledge)
    // What word boundaries and letters beyond ASCII mean differs between engines: left to the service.
    const boundary = /\\b/iu.test(pattern)
    const open = (): never => unsupported({ regex: true })
    if (notRun.test(pattern)) return open
    if (!isPattern(pattern)) return () => false
    return (given) => {
      const searched = textOf(given, knowledge)
      const isHere = complete || pattern === '' || !(boundary || /[^\0-\x7f]/u.test(searched))
      const isReturned = !complete && pattern !== '' && searched.includes('\r')
      if (!isHere || (isReturned && deviations.has('no text with a carriage return is searched'))) return open()
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
