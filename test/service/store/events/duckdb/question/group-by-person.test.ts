import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { createPersonGrouping } from '../../../../../../src/service/store/events/duckdb/question/group-by-person.ts'

const finish = <Result>(work: Generator<void, Result, void>): Result => {
  for (;;) {
    const step = work.next()
    if (step.done === true) return step.value
  }
}

const sourceOf = (items: readonly number[]) => ({ getItem: (index: number) => items[index] })

const member = fc.oneof(fc.nat({ max: 3 }), fc.nat({ max: 1023 }))

const block = fc.record({
  number: fc.nat({ max: 2_000_000 }),
  rows: fc.array(fc.tuple(member, fc.nat({ max: 1000 })), { minLength: 1, maxLength: 10_000 }),
})

test('groups the numbers of each block by their persons, in their order', () => {
  fc.assert(
    fc.property(fc.array(block, { minLength: 1, maxLength: 3 }), (blocks) => {
      const group = createPersonGrouping()
      for (const { number, rows } of blocks) {
        const persons = rows.map(([each]) => number * 1024 + each)
        const { numbers, ends, firstPerson } = finish(
          group({
            persons: sourceOf([7, ...persons]),
            personsOffset: 1,
            numbers: sourceOf([7, 7, ...rows.map(([, each]) => each)]),
            numbersOffset: 2,
            count: rows.length,
          }),
        )
        expect(firstPerson).toBe(number * 1024)
        const listOf = (index: number) => Array.from(numbers.subarray(ends[index - 1] ?? 0, ends[index]))
        const expected = Array.from({ length: 1024 }, (): number[] => [])
        for (const [index, value] of rows) expected[index]!.push(value)
        expect(expected.map((_, index) => listOf(index))).toEqual(expected)
      }
    }),
    { numRuns: 30 },
  )
})
