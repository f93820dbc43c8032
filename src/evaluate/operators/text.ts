import type { Json } from '../../wire/json.ts'
import { negated, type OperatorFactory, serviceOnly, textOf } from './operator.ts'

/** Only ASCII letters lose their case: so do the protocol's services. */
const lowerAscii = (text: string): string => {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code >= 65 && code <= 90) return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
  }
  return text
}

type Holds = (text: string, part: string) => boolean

const anyOf = (holds: Holds, values: readonly Json[]): ReturnType<OperatorFactory> => {
  const parts = values.map((value) => lowerAscii(textOf(value) ?? ''))
  return {
    absent: false,
    test: (property) => {
      const printed = textOf(property)
      if (printed === undefined) return undefined
      const text = lowerAscii(printed)
      for (const part of parts) if (holds(text, part)) return true
      return false
    },
  }
}

const textual =
  (holds: Holds): OperatorFactory =>
  (value) =>
    anyOf(holds, [value])

const includes: Holds = (text, part) => text.includes(part)
const contains = textual(includes)
const startsWith = textual((text, part) => text.startsWith(part))
const endsWith = textual((text, part) => text.endsWith(part))
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
