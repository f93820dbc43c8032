import type { Json } from '../../wire/json.ts'
import { toComparableString } from './operator.ts'
import type { Operator, OperatorFactory } from './operator.ts'
import { compilePattern } from './pattern/compile-pattern.ts'

const NON_ASCII = /[^\0-\x7f]/

/** ASCII only and no word boundary: the meaning of those depends on the engine and its Unicode version. */
const PORTABLE = /^(?:[^\\\x80-\uffff]|\\[^bB\x80-\uffff])*$/

const createPatternOperator =
  (matchesWhenFound: boolean): OperatorFactory =>
  (value) => {
    const source = toComparableString(value)
    if (source === undefined) return 'has a value that JSON cannot represent'
    const pattern = compilePattern(source)
    if (typeof pattern === 'string') return pattern
    // An invalid pattern never matches, also when negated: the protocol's services do the same.
    const never: Operator = {
      resultWhenAbsent: !matchesWhenFound,
      test: () => false,
      problem: 'is not a valid regular expression',
    }
    if (!pattern) return never
    const isPortable = PORTABLE.test(source)
    return {
      resultWhenAbsent: !matchesWhenFound,
      programSize: pattern.programSize,
      test: (property, { complete }) => {
        const printed = toComparableString(property)
        if (printed === undefined) return undefined
        if (!complete && source !== '' && (!isPortable || NON_ASCII.test(printed))) return undefined
        const isFound = pattern.test(printed)
        return isFound === undefined ? undefined : isFound === matchesWhenFound
      },
    }
  }

/** Whether a filter value is a valid pattern, supported or not. An invalid one never matches. */
export const isPattern = (value: Json | undefined): boolean => {
  const source = value === undefined ? undefined : toComparableString(value)
  return source !== undefined && compilePattern(source) !== undefined
}

/**
 * Searches anywhere in the string, case-sensitive, in bounded time: a string too long for the pattern gives undefined. Outside
 * the service there is a result only where all engines agree: pattern and string in ASCII, no `\b`.
 */
export const regex: Readonly<Record<string, OperatorFactory>> = {
  regex: createPatternOperator(true),
  not_regex: createPatternOperator(false),
}
