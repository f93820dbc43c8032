import { textOf } from './rule.ts'
import type { Rule } from './rule.ts'

/** Only ASCII letters lose their case. */
const lower = (text: string): string => text.replaceAll(/[A-Z]/gu, (letter) => letter.toLowerCase())

const text =
  (holds: (given: string, wanted: string) => boolean): Rule =>
  (wanted, knowledge) =>
  (given) =>
    holds(lower(textOf(given, knowledge)), lower(textOf(wanted, knowledge)))

export const contains = text((given, wanted) => given.includes(wanted))
export const starts = text((given, wanted) => given.startsWith(wanted))
export const ends = text((given, wanted) => given.endsWith(wanted))

/** Any element of the value. */
export const containsAny: Rule = (wanted, knowledge) => (given) =>
  (Array.isArray(wanted) ? wanted : [wanted]).some((one) => contains(one, knowledge)(given))
