import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import type { IdKey, IdKeys } from '../../../src/service/store/id-keys.ts'
import { createIdKeys } from '../../../src/service/store/id-keys.ts'

const describeKey = ({ word0, word1, word2 }: IdKey): string => [word0, word1, word2].join()
const keyOf = (keys: IdKeys, scope: number, id: string): string => describeKey(keys.ofString(scope, id))

const anyId = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 8 }),
  fc.array(fc.constantFrom('\0', 'a', 'b', '\ud800', '\uffff'), { maxLength: 8 }).map((units) => units.join('')),
)

it('is the same for the same id, and another one for another id or scope', () => {
  const keys = createIdKeys()
  fc.assert(
    fc.property(anyId, anyId, fc.nat(2), fc.nat(2), (id, otherId, scope, otherScope) => {
      const isSame = id === otherId && scope === otherScope
      expect(keyOf(keys, scope, id) === keyOf(keys, otherScope, otherId)).toBe(isSame)
      expect(keyOf(keys, scope, id)).toBe(keyOf(keys, scope, id))
    }),
    { numRuns: 1000 },
  )
})

it('has no collision in any word pair among similar ids', () => {
  const keys = createIdKeys()
  const pairs = [new Set<string>(), new Set<string>(), new Set<string>()]
  const count = 200_000
  for (let n = 0; n < count; n++) {
    const { word0, word1, word2 } = keys.ofString(0, `user-${n}`)
    pairs[0]!.add(`${word0} ${word1}`)
    pairs[1]!.add(`${word1} ${word2}`)
    pairs[2]!.add(`${word0} ${word2}`)
  }
  expect(pairs.map(({ size }) => size)).toEqual([count, count, count])
})

it('depends on all words of a uuid and on nothing else', () => {
  const keys = createIdKeys()
  const uuids = [0, 1, 2, 3].map((at) => Uint32Array.from([1, 2, 3, 4]).with(at, 0xffff_ffff))
  expect(new Set(uuids.map((words) => describeKey(keys.ofUuid(words, 0)))).size).toBe(4)
  const shifted = Uint32Array.from([9, ...uuids[0]!, 9])
  expect(describeKey(keys.ofUuid(shifted, 1))).toBe(describeKey(keys.ofUuid(uuids[0]!, 0)))
})

it('differs from process to process', () => {
  expect(keyOf(createIdKeys(), 0, 'ada')).not.toBe(keyOf(createIdKeys(), 0, 'ada'))
})
