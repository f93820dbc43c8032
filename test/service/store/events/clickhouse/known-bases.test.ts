import { expect, test } from 'vitest'
import { createKnownBases } from '../../../../../src/service/store/events/clickhouse/known-bases.ts'

test('forgets the bases that were not used for longest', () => {
  const bases = createKnownBases(2)
  const write = (key: string): void => {
    bases.add(key, 9)
    bases.onTake()
    bases.onWritten()
  }
  write('a')
  write('b')
  expect(bases.has('a', 9)).toBe(true)
  write('c')
  expect(['a', 'b', 'c'].filter((key) => bases.has(key, 9))).toEqual(['a', 'c'])
  expect([bases.has('a', 8), bases.has('a', undefined)]).toEqual([false, false])
})

test('keeps the bases that are being written when others are added', () => {
  const bases = createKnownBases(2)
  bases.add('a', 1)
  bases.onTake()
  bases.add('a', 2)
  bases.onWritten()
  expect([bases.has('a', 1), bases.has('a', 2)]).toEqual([false, true])
  bases.discard()
  expect(bases.has('a', 1)).toBe(false)
})
