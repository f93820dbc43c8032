import { throwUnsupported } from './unknown.ts'
import type { Json } from '../../../src/wire/json.ts'
import { printJson, toComparableString } from './rule.ts'
import type { Rule } from './rule.ts'

/** Lookaround and back references can take exponential time; engines disagree on two dashes in a character class. */
const UNSUPPORTED = /\(\?(?!:)|\\[1-9]|\\k|\[[^\]]*--/u

/** Whether a filter value is a supported pattern. Invalid patterns are supported too: they never match. */
export const isSupportedPattern = (expected: Json): boolean => !UNSUPPORTED.test(printJson(expected))

/** Searches anywhere in the string. An invalid pattern never matches, also when negated. */
export const regex =
  (expectsMatch: boolean): Rule =>
  (expected, context) => {
    const { complete, deviations } = context
    const pattern = toComparableString(expected, context)
    // Engines differ on word boundaries and on characters beyond ASCII, so only the service evaluates these.
    const hasBoundary = /\\b/iu.test(pattern)
    const throwUnsearchable = (): never => throwUnsupported({ blocks: true })
    if (UNSUPPORTED.test(pattern)) return throwUnsearchable
    if (!isPattern(pattern)) return () => false
    return (property) => {
      const printed = toComparableString(property, context)
      const isPortable = complete || pattern === '' || !(hasBoundary || /[^\0-\x7f]/u.test(printed))
      const hasCarriageReturn = !complete && pattern !== '' && printed.includes('\r')
      if (!isPortable || (hasCarriageReturn && deviations.has('a string with a carriage return is not searched')))
        return throwUnsearchable()
      return new RegExp(pattern).test(printed) === expectsMatch
    }
  }

const isPattern = (pattern: string): boolean => {
  try {
    return Boolean(new RegExp(pattern))
  } catch {
    return false
  }
}
