import { toComparableString } from './rule.ts'
import type { Rule } from './rule.ts'

/** Converts only ASCII letters to lower case, as the service does. */
const toLowerAscii = (input: string): string => input.replaceAll(/[A-Z]/gu, (letter) => letter.toLowerCase())

const createStringRule =
  (isMatch: (property: string, expected: string) => boolean): Rule =>
  (expected, context) =>
  (property) =>
    isMatch(toLowerAscii(toComparableString(property, context)), toLowerAscii(toComparableString(expected, context)))

export const contains = createStringRule((property, expected) => property.includes(expected))
export const startsWith = createStringRule((property, expected) => property.startsWith(expected))
export const endsWith = createStringRule((property, expected) => property.endsWith(expected))

/** Matches any element of the filter value. */
export const containsAny: Rule = (expected, context) => (property) =>
  (Array.isArray(expected) ? expected : [expected]).some((element) => contains(element, context)(property))
