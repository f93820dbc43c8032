import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { sortNumbers } from '../../../../../src/service/store/events/question/sort-numbers.ts'

const numbersOf = (maxLength: number) =>
  fc.array(fc.oneof(fc.nat({ max: 9 }), fc.double({ noNaN: true })), { minLength: 1, maxLength })

test('sorts the first numbers, and leaves the others as they are', () => {
  fc.assert(
    fc.property(fc.oneof(numbersOf(10), numbersOf(100)), fc.nat({ max: 100 }), (list, length) => {
      const count = Math.min(length, list.length)
      const numbers = Float64Array.from(list)
      sortNumbers(numbers, count)
      const sorted = Float64Array.from(list.slice(0, count)).sort()
      // `-0` equals `0`, but `sort` puts it first.
      expect([...numbers].map((number) => number + 0)).toEqual(
        [...sorted, ...list.slice(count)].map((each) => each + 0),
      )
    }),
  )
})
