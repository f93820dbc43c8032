import type { Json } from '../../wire/json.ts'
import { includes } from './includes.ts'
import { negated, serviceOnly, textOf } from './operator.ts'
import type { OperatorFactory } from './operator.ts'

const BEYOND_ASCII = /[^\0-\x7f]/

/** Only ASCII letters lose their case: so do the protocol's services. */
const lowerAscii = (text: string): string => {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code >= 65 && code <= 90)
      return BEYOND_ASCII.test(text) ? text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase()) : text.toLowerCase()
  }
  return text
}

/** Makes a question about texts of a part of them. */
type Holding = (part: string) => (text: string) => boolean

const anyOf = (holding: Holding, values: readonly Json[]): ReturnType<OperatorFactory> => {
  const tests: ReturnType<Holding>[] = []
  for (const value of values) {
    const part = textOf(value)
    // Not the empty text, which is in everybody's.
    if (part === undefined) return 'has a value that cannot be printed'
    tests.push(holding(lowerAscii(part)))
  }
  return {
    absent: false,
    test: (property) => {
      const printed = textOf(property)
      if (printed === undefined) return undefined
      const text = lowerAscii(printed)
      for (const holds of tests) if (holds(text)) return true
      return false
    },
  }
}

const textual =
  (holding: Holding): OperatorFactory =>
  (value) =>
    anyOf(holding, [value])

const contains = textual(includes)
const startsWith = textual((part) => (text) => text.startsWith(part))
const endsWith = textual((part) => (text) => text.endsWith(part))
const containsAny = serviceOnly((value) => anyOf(includes, Array.isArray(value) ? value : [value]))

/** Parts of texts; numbers and null count as they are printed. */
export const text: Readonly<Record<string, OperatorFactory>> = {
  icontains: contains,
  not_icontains: negated(contains),
  icontains_multi: containsAny,
  not_icontains_multi: negated(containsAny),
  starts_with: startsWith,
  not_starts_with: negated(startsWith),
  ends_with: endsWith,
  not_ends_with: negated(endsWith),
}
