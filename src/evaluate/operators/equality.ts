import type { Json } from '../../wire/json.ts'
import { negated, type Operator, type OperatorFactory, textOf } from './operator.ts'
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

/**
 * Services print the integer 1 as `1` or, when it came as a float, as `1.0`; JavaScript sees one number. So a text that is
 * a number may or may not be equal to it.
 */
const mayBe = (text: string, value: Json): boolean =>
  typeof value === 'number' ? Number.isInteger(value) && text !== '' && Number(text) === value : hasInteger(value)

const byText = (list: readonly Json[]): Operator => {
  const isAny = textSet(list.flatMap((value) => textOf(value) ?? []))
  const written = list.filter((value) => typeof value === 'string')
  const isWritten = textSet(written)
  const others = list.filter((value) => typeof value !== 'string')
  return {
    absent: false,
    test: (property, { complete }) => {
      const text = textOf(property)
      if (text === undefined) return undefined
      if (complete) return isAny(text)
      if (typeof property === 'string') {
        if (isWritten(text)) return true
        if (others.length === 0) return false
        for (const value of others) if (mayBe(text.toLowerCase(), value)) return undefined
      } else if (hasInteger(property)) {
        for (const value of written) if (mayBe(value.toLowerCase(), property)) return undefined
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
