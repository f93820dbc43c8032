import { expect, test } from 'vitest'
import {
  createPendingBases,
  createWrittenBases,
} from '../../../../../src/service/store/events/clickhouse/written-bases.ts'

test('forgets the bases that were not used for longest', () => {
  const bases = createWrittenBases(2)
  bases.add('a', 9)
  bases.add('b', 9)
  expect(bases.has('a', 9)).toBe(true)
  bases.add('c', 9)
  expect(['a', 'b', 'c'].filter((key) => bases.has(key, 9))).toEqual(['a', 'c'])
  expect(bases.has('a', 8)).toBe(false)
})

test('keeps the bases that are being written when others are added', () => {
  const bases = createPendingBases(createWrittenBases(), '1 ')
  bases.add('a', 1)
  bases.onTake()
  bases.add('a', 2)
  bases.onWritten()
  expect([bases.has('a', 1), bases.has('a', 2), bases.has('a', undefined)]).toEqual([false, true, false])
  bases.discard()
  expect(bases.has('a', 1)).toBe(false)
})

test('keeps written bases for the next store of a project, and deletes those of one project alone', () => {
  const written = createWrittenBases()
  const write = (prefix: string): void => {
    const bases = createPendingBases(written, prefix)
    bases.add('a', 1)
    bases.onTake()
    bases.onWritten()
  }
  write('1 ')
  write('11 ')
  expect([createPendingBases(written, '1 ').has('a', 1), createPendingBases(written, '2 ').has('a', 1)]).toEqual([
    true,
    false,
  ])
  createPendingBases(written, '1 ').clear()
  expect([createPendingBases(written, '1 ').has('a', 1), createPendingBases(written, '11 ').has('a', 1)]).toEqual([
    false,
    true,
  ])
})
