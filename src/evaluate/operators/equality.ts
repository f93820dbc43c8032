import type { Json } from '../../wire/json.ts'
import { negated, textOf } from './operator.ts'
import type { Operator, OperatorFactory } from './operator.ts'
import { textSet } from './text-set.ts'

/** True and false, as such, as words or in lists of nothing else. */
const isTruthValue = (value: Json): boolean =>
  typeof value === 'string'
    ? /^(?:true|false)$/i.test(value)
    : typeof value === 'boolean' || (Array.isArray(value) && value.every(isTruthValue))

/** `true`, the word, and lists of nothing else are true; everything else is false. */
const truthy = (value: Json): boolean =>
  typeof value === 'string'
    ? value.length === 4 && value.toLowerCase() === 'true'
    : value === true || (Array.isArray(value) && value.every(truthy))

const byTruth = (value: Json): Operator => {
  const wanted = truthy(value)
  return { absent: false, test: (property) => truthy(property) === wanted }
}

const hasInteger = (value: Json): boolean =>
  typeof value === 'object' && value !== null ? Object.values(value).some(hasInteger) : Number.isInteger(value)

/** The number that a text is; NaN for the empty one. */
const numberOf = (text: string): number => (text === '' ? NaN : Number(text))

/**
 * Services print the integer 1 as `1` or, when it came as a float, as `1.0`; JavaScript sees one number. So away from the
 * service a text beside an equal number, or beside a list or an object with integers in it, may or may not be equal.
 */
const byText = (list: readonly Json[]): Operator => {
  const isAny = textSet(list.flatMap((value) => textOf(value) ?? []))
  const written = list.filter((value) => typeof value === 'string')
  const isWritten = textSet(written)
  const numbersWritten = new Set(written.map(numberOf))
  const integers = new Set(list.filter(Number.isInteger))
  const hasNested = list.some((value) => typeof value === 'object' && hasInteger(value))
  return {
    absent: false,
    test: (property, { complete }) => {
      const text = textOf(property)
      if (text === undefined) return undefined
      if (complete) return isAny(text)
      if (typeof property === 'string') {
        if (isWritten(text)) return true
        if (hasNested || (integers.size > 0 && integers.has(numberOf(text)))) return undefined
      } else if (hasInteger(property)) {
        if (typeof property === 'number' ? numbersWritten.has(property) : written.length > 0) return undefined
      }
      return isAny(text)
    },
  }
}

const exact: OperatorFactory = (value, { propertyMatchingVersion }) => {
  const nothing = Array.isArray(value) && value.length === 0
  return nothing || (propertyMatchingVersion !== 2 && isTruthValue(value))
    ? byTruth(value)
    : byText(Array.isArray(value) ? value : [value])
}

/** Equality of texts whatever their case; a list of values means any of them. */
export const equality: Readonly<Record<string, OperatorFactory>> = { exact, is_not: negated(exact) }
