import type { Json } from '../../wire/json.ts'
import { makeServiceOnly, negate, toComparableString } from './operator.ts'
import type { OperatorFactory } from './operator.ts'
import { createSubstringSearch } from './substring-search.ts'

const NON_ASCII = /[^\0-\x7f]/

/** Lowers ASCII letters only, as the protocol's services do. */
const toLowerAscii = (input: string): string => {
  for (let index = 0; index < input.length; index++) {
    const code = input.charCodeAt(index)
    if (code >= 65 && code <= 90)
      return NON_ASCII.test(input) ? input.replace(/[A-Z]+/g, (letters) => letters.toLowerCase()) : input.toLowerCase()
  }
  return input
}

/** Creates a test of strings for a substring. */
type CreateTest = (part: string) => (input: string) => boolean

const createAnyOf = (createTest: CreateTest, values: readonly Json[]): ReturnType<OperatorFactory> => {
  const tests: ReturnType<CreateTest>[] = []
  for (const value of values) {
    const part = toComparableString(value)
    // The empty string is no substitute: every string contains it.
    if (part === undefined) return 'has a value that JSON cannot represent'
    tests.push(createTest(toLowerAscii(part)))
  }
  return {
    resultWhenAbsent: false,
    test: (property) => {
      const printed = toComparableString(property)
      if (printed === undefined) return undefined
      const lowered = toLowerAscii(printed)
      for (const test of tests) if (test(lowered)) return true
      return false
    },
  }
}

const createOperator =
  (createTest: CreateTest): OperatorFactory =>
  (value) =>
    createAnyOf(createTest, [value])

const contains = createOperator(createSubstringSearch)
const startsWith = createOperator((part) => (input) => input.startsWith(part))
const endsWith = createOperator((part) => (input) => input.endsWith(part))
const containsAny = makeServiceOnly((value) =>
  createAnyOf(createSubstringSearch, Array.isArray(value) ? value : [value]),
)

/** Substrings, ignoring the case of ASCII letters; numbers and null count as they are printed. */
export const substring: Readonly<Record<string, OperatorFactory>> = {
  icontains: contains,
  not_icontains: negate(contains),
  icontains_multi: containsAny,
  not_icontains_multi: negate(containsAny),
  starts_with: startsWith,
  not_starts_with: negate(startsWith),
  ends_with: endsWith,
  not_ends_with: negate(endsWith),
}
