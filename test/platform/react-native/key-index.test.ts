import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { createKeyIndex } from '../../../src/platform/react-native/key-index.ts'

const key = fc.constantFrom('a', 'b', 'b/1', 'b0', 'c', 'd')

it('behaves like a sorted set', () => {
  const change = fc.record({ isAdded: fc.boolean(), key })
  fc.assert(
    fc.property(fc.array(key), fc.array(change), key, key, fc.nat(4), (initial, changes, from, to, limit) => {
      const index = createKeyIndex(initial)
      const model = new Set(initial)
      for (const { isAdded, key } of changes) {
        index[isAdded ? 'add' : 'delete'](key)
        model[isAdded ? 'add' : 'delete'](key)
      }
      const expected = [...model].filter((key) => from <= key && key < to).sort()
      expect(index.range(from, to)).toEqual(expected)
      expect(index.range(from, to, limit)).toEqual(expected.slice(0, limit))
      expect(index.has(from)).toBe(model.has(from))
    }),
  )
})
