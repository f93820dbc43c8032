import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { createShapeTree } from '../../../../../../src/service/store/events/duckdb/event-table/shape-tree.ts'

test('gives the shape of any sequence of members, however often', () => {
  const tree = createShapeTree()
  fc.assert(
    fc.property(fc.array(fc.array(fc.nat(12), { maxLength: 6 })), (sequences) => {
      for (const numbers of sequences)
        expect(numbers.reduce(tree.child, tree.root()).shape).toBe(numbers.map((number) => `{${number}}`).join(','))
    }),
  )
})

test('starts again before it becomes too large', () => {
  const tree = createShapeTree()
  const root = tree.root()
  for (let number = 0; number <= 50_000; number++) tree.child(tree.root(), number)
  expect(tree.root()).not.toBe(root)
  expect(tree.child(tree.root(), 7).shape).toBe('{7}')
})
