import type { Json } from '../../wire/json.ts'
import { negated, type Operator, type OperatorFactory, textOf, type Verdict } from './operator.ts'

const lower = (value: Json): string => textOf(value).toLowerCase()

const isBooleanWord = (value: Json): boolean => typeof value !== 'object' && /^(true|false)$/i.test(String(value))

/** `true`, the word, and lists of nothing else are true; everything else is false. */
const truthy = (value: Json): boolean =>
  Array.isArray(value) ? value.every(truthy) : value !== null && typeof value !== 'object' && lower(value) === 'true'

/**
 * Services print the integer 1 as `1` or, when it came as a float, `1.0`; JavaScript sees one number. A text that is
 * either of them may or may not be equal.
 */
const mayBe = (text: string, number: number): boolean =>
  Number.isInteger(number) && (text === String(number) || text === `${number}.0`)

const equal = (value: Json, text: string, property: Json, complete: boolean): Verdict => {
  if (!complete && typeof value !== typeof property) {
    if (typeof property === 'number' && mayBe(text, property)) return undefined
    if (typeof value === 'number' && mayBe(lower(property), value)) return undefined
  }
  return text === lower(property)
}

const exact: OperatorFactory = (value, { propertyMatchingVersion }): Operator => {
  const list: readonly Json[] = Array.isArray(value) ? value : [value]
  if (list.every(isBooleanWord) && (propertyMatchingVersion !== 2 || list.length === 0)) {
    const wanted = truthy(value)
    return { absent: false, test: (property) => truthy(property) === wanted }
  }
  const texts = list.map(lower)
  return {
    absent: false,
    test: (property, { complete }) => {
      let verdict: Verdict = false
      for (let at = 0; at < list.length; at++) {
        const here = equal(list[at]!, texts[at]!, property, complete)
        if (here) return true
        if (here === undefined) verdict = undefined
      }
      return verdict
    },
  }
}

/** Equality of texts whatever their case; a list of values means any of them. */
export const equality: Readonly<Record<string, OperatorFactory>> = { exact, is_not: negated(exact) }
