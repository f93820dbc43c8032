import type { Json } from '../../wire/json.ts'
import { printProperty, toComparableString } from './operator.ts'
import type { OperatorFactory } from './operator.ts'
import { compilePattern } from './pattern/compile-pattern.ts'
import type { PatternFault } from './pattern/compile-pattern.ts'
import { takeVisits } from './pattern/create-search.ts'

const NON_ASCII = /[^\0-\x7f]/

/** Matches patterns in ASCII without `\b` and `\B`. The meaning of others depends on the engine and its Unicode version. */
const PORTABLE = /^(?:[^\\\x80-\uffff]|\\[^bB\x80-\uffff])*$/

const createPatternOperator =
  (isMatchWhenFound: boolean): OperatorFactory =>
  (value) => {
    const source = toComparableString(value)
    if (source === undefined) return 'has a value that JSON cannot represent'
    const pattern = compilePattern(source)
    if ('reason' in pattern) {
      if (pattern.kind === 'unsupported') return `the pattern ${pattern.reason}`
      // An invalid pattern never matches, also when negated: the protocol's services do the same.
      return { ifAbsent: !isMatchWhenFound, test: () => false, problem: describeInvalid(pattern) }
    }
    const isPortable = PORTABLE.test(source)
    return {
      ifAbsent: !isMatchWhenFound,
      programSize: pattern.programSize,
      takeWork: takeVisits,
      test: (property, { complete }) => {
        const printed = printProperty(property)
        if (printed === undefined) return undefined
        if (!complete && source !== '' && (!isPortable || NON_ASCII.test(printed))) return undefined
        const isFound = pattern.test(printed)
        return isFound === undefined ? undefined : isFound === isMatchWhenFound
      },
    }
  }

const describeInvalid = ({ reason }: PatternFault): string => `is not a valid regular expression: it ${reason}`

/** Says why a filter value is not a valid pattern; undefined for a valid one, supported or not. An invalid pattern never matches. */
export const findInvalidPattern = (value: Json | undefined): string | undefined => {
  const source = value === undefined ? undefined : toComparableString(value)
  if (source === undefined) return 'is not a regular expression'
  const pattern = compilePattern(source)
  return 'reason' in pattern && pattern.kind === 'invalid' ? describeInvalid(pattern) : undefined
}

/**
 * Operators that search anywhere in the string, case-sensitive and in bounded time: the result for a string that is too long is
 * undefined. Outside the service there is a result only where all engines agree: pattern and string are ASCII, without `\b`.
 */
export const regexOperators: Readonly<Record<string, OperatorFactory>> = {
  regex: createPatternOperator(true),
  not_regex: createPatternOperator(false),
}
