import { negated, type OperatorFactory, textOf } from './operator.ts'

/** Only ASCII letters lose their case: so do the protocol's services. */
const lowerAscii = (text: string): string => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())

const textual =
  (holds: (text: string, part: string) => boolean): OperatorFactory =>
  (value) => {
    const part = lowerAscii(textOf(value))
    return { absent: false, test: (property) => holds(lowerAscii(textOf(property)), part) }
  }

const contains = textual((text, part) => text.includes(part))
const startsWith = textual((text, part) => text.startsWith(part))
const endsWith = textual((text, part) => text.endsWith(part))

/** Parts of texts; numbers and null count as they are printed. */
export const text: Readonly<Record<string, OperatorFactory>> = {
  icontains: contains,
  not_icontains: negated(contains),
  starts_with: startsWith,
  not_starts_with: negated(startsWith),
  ends_with: endsWith,
  not_ends_with: negated(endsWith),
}
