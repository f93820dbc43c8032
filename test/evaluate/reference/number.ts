import type { Json } from '../../../src/wire/json.ts'
import { unsupported } from './open.ts'
import { textOf } from './rule.ts'
import type { Rule } from './rule.ts'

/** JSON has no others: they are null there. */
const isFiniteNumber = (value: Json): value is number => typeof value === 'number' && Number.isFinite(value)

/** All of a text, for the service; elsewhere as much of it as is a number. NaN for what is none. */
const numberIn = (value: Json, complete: boolean): number => {
  if (typeof value === 'number') return isFiniteNumber(value) ? value : NaN
  if (typeof value !== 'string') return NaN
  if (!complete) return parseFloat(value)
  return /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/iu.test(value) ? Number(value) : NaN
}

/** By size where both are numbers; else by the order of the texts, but in the service no match. */
export const compared =
  (holds: (order: number) => boolean): Rule =>
  (wanted, knowledge) => {
    const { complete, deviations } = knowledge
    if (!isFiniteNumber(wanted) && typeof wanted !== 'string' && !deviations.has('anything can be ordered'))
      return unsupported()
    const limit = numberIn(wanted, complete)
    return (given) => {
      if (typeof given === 'number' && !isFiniteNumber(given)) return false
      const number = numberIn(typeof given === 'number' ? given : textOf(given, knowledge), complete)
      if (Number.isFinite(limit) && Number.isFinite(number)) return holds(number - limit)
      if (complete) return false
      const [one, other] = [textOf(given, knowledge), textOf(wanted, knowledge)]
      return holds(one < other ? -1 : one > other ? 1 : 0)
    }
  }

/** Both ends included; what is no number is neither in nor outside. */
export const between =
  (inside: boolean): Rule =>
  (wanted) => {
    const [low = NaN, high = NaN] =
      Array.isArray(wanted) && wanted.length === 2 ? wanted.map((end) => numberIn(end, true)) : []
    return (given) => {
      const number = numberIn(given, true)
      return low <= high && !Number.isNaN(number) && (low <= number && number <= high) === inside
    }
  }
