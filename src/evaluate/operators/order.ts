import type { Json } from '../../wire/json.ts'
import { serviceOnly, textOf } from './operator.ts'
import type { OperatorFactory } from './operator.ts'

const compare = <T extends number | string>(one: T, other: T): number => (one < other ? -1 : one > other ? 1 : 0)

// Visitors choose the text: with digits on both sides of a dot that may be missing, all ways to share them out would be tried.
const DECIMAL = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i

/** On the wire NaN and the infinities are null. */
const isNull = (value: Json): boolean => value === null || (typeof value === 'number' && !Number.isFinite(value))

const finite = (value: Json): number => (typeof value === 'number' && Number.isFinite(value) ? value : NaN)

/** As a service reads a number: all of the text, or it is none. */
const wholeNumber = (value: Json): number =>
  typeof value === 'string' ? (DECIMAL.test(value) ? Number(value) : NaN) : finite(value)

/** As clients read a number: as much of the text as is one. */
const leadingNumber = (value: Json): number => finite(typeof value === 'string' ? parseFloat(value) : value)

const comparing =
  (holds: (order: number) => boolean): OperatorFactory =>
  (value) => {
    if (typeof value !== 'string' && (typeof value !== 'number' || !Number.isFinite(value)))
      return 'compares with a number or a text only'
    const whole = wholeNumber(value)
    const leading = leadingNumber(value)
    const text = String(value)
    return {
      absent: false,
      test: (property, { complete }) => {
        if (isNull(property)) return false
        if (complete) {
          const number = wholeNumber(property)
          return !Number.isNaN(number) && !Number.isNaN(whole) && holds(compare(number, whole))
        }
        const number = leadingNumber(property)
        if (!Number.isNaN(number) && !Number.isNaN(leading)) return holds(compare(number, leading))
        const other = textOf(property)
        return other === undefined ? undefined : holds(compare(other, text))
      },
    }
  }

/** A property that is no number is in no range, and outside none either. */
const ranging =
  (wanted: boolean): OperatorFactory =>
  (value) => {
    const [min = NaN, max = NaN] = Array.isArray(value) && value.length === 2 ? value.map(wholeNumber) : []
    const isRange = min <= max
    return {
      absent: !wanted,
      problem: isRange ? undefined : 'needs a list of two numbers, the smaller one first',
      test: (property) => {
        const number = wholeNumber(property)
        return isRange && !Number.isNaN(number) && (number >= min && number <= max) === wanted
      },
    }
  }

/** Numbers by size, also when written as text; away from the service, texts by their order where one side is no number. */
export const order: Readonly<Record<string, OperatorFactory>> = {
  gt: comparing((order) => order > 0),
  gte: comparing((order) => order >= 0),
  lt: comparing((order) => order < 0),
  lte: comparing((order) => order <= 0),
  between: serviceOnly(ranging(true)),
  not_between: serviceOnly(ranging(false)),
}
