import type { Json } from '../../wire/json.ts'
import { foldOnce } from '../work-budget.ts'
import { makeServiceOnly, negate, printProperty, toComparableString } from './operator.ts'
import type { OperatorFactory } from './operator.ts'
import { createSubstringSearch } from './substring-search.ts'

const NON_ASCII = /[^\0-\x7f]/

/** Lowers ASCII letters only, as the protocol's services do. */
export const toLowerAscii = (input: string): string => {
  for (let index = 0; index < input.length; index++) {
    const code = input.charCodeAt(index)
    if (code >= 65 && code <= 90)
      return NON_ASCII.test(input) ? input.replace(/[A-Z]+/g, (letters) => letters.toLowerCase()) : input.toLowerCase()
  }
  return input
}

/** Creates a test whether a string contains, or starts or ends with, a substring. */
type CreateTest = (substring: string) => (input: string) => boolean

const createAnySubstringOperator = (createTest: CreateTest, values: readonly Json[]): ReturnType<OperatorFactory> => {
  const tests: ReturnType<CreateTest>[] = []
  for (const value of values) {
    const substring = toComparableString(value)
    // Not replaced by the empty string, which every string contains.
    if (substring === undefined) return 'has a value that JSON cannot represent'
    tests.push(createTest(toLowerAscii(substring)))
  }
  return {
    ifAbsent: false,
    comparisons: tests.length,
    test: (property) => {
      const printed = printProperty(property)
      if (printed === undefined) return undefined
      const lowered = foldOnce(printed, toLowerAscii)
      for (const test of tests) if (test(lowered)) return true
      return false
    },
  }
}

const createOperator =
  (createTest: CreateTest): OperatorFactory =>
  (value) =>
    createAnySubstringOperator(createTest, [value])

const contains = createOperator(createSubstringSearch)
const startsWith = createOperator((substring) => (input) => input.startsWith(substring))
const endsWith = createOperator((substring) => (input) => input.endsWith(substring))
const containsAny = makeServiceOnly((value) =>
  createAnySubstringOperator(createSubstringSearch, Array.isArray(value) ? value : [value]),
)

/** Operators that test for substrings, ignoring the case of ASCII letters. Numbers and null are compared as printed. */
export const substringOperators: Readonly<Record<string, OperatorFactory>> = {
  icontains: contains,
  not_icontains: negate(contains),
  icontains_multi: containsAny,
  not_icontains_multi: negate(containsAny),
  starts_with: startsWith,
  not_starts_with: negate(startsWith),
  ends_with: endsWith,
  not_ends_with: negate(endsWith),
}
