import { throwUnsupported } from './unknown.ts'
import type { Json } from '../../../src/wire/json.ts'
import { printJson, toComparableString } from './rule.ts'
import type { Rule } from './rule.ts'

/** Lookaround and back references take exponential time; the meaning of two dashes in a class depends on the dialect. */
const UNSUPPORTED = /\(\?(?!:)|\\[1-9]|\\k|\[[^\]]*--/u

/** Whether a filter value is a supported pattern, or an invalid one. */
export const isSupportedPattern = (expected: Json): boolean => !UNSUPPORTED.test(printJson(expected))

/** Searches anywhere in the string. An invalid pattern never matches, also when negated. */
export const regex =
  (matchesWhenFound: boolean): Rule =>
  (expected, context) => {
    const { complete, deviations } = context
    const pattern = toComparableString(expected, context)
    // Engines differ on word boundaries and on characters beyond ASCII: these are left to the service.
    const boundary = /\\b/iu.test(pattern)
    const throwUnsearchable = (): never => throwUnsupported({ regex: true })
    if (UNSUPPORTED.test(pattern)) return throwUnsearchable
    if (!isPattern(pattern)) return () => false
    return (property) => {
      const printed = toComparableString(property, context)
      const isPortable = complete || pattern === '' || !(boundary || /[^\0-\x7f]/u.test(printed))
      const hasCarriageReturn = !complete && pattern !== '' && printed.includes('\r')
      if (!isPortable || (hasCarriageReturn && deviations.has('a string with a carriage return is not searched')))
        return throwUnsearchable()
      return new RegExp(pattern).test(printed) === matchesWhenFound
    }
  }

const isPattern = (pattern: string): boolean => {
  try {
    return Boolean(new RegExp(pattern))
  } catch {
    return false
  }
}
