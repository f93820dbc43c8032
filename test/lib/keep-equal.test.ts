import { expect, it } from 'vitest'
import { keepEqual } from '../../src/lib/keep-equal.ts'

it('returns the earlier result of the same argument while the new one is equal, and the new one when it differs', () => {
  let n = 1
  const { read } = keepEqual({ read: (_name: string) => (n ? { n } : undefined) })
  const first = read('a')
  expect(read('a')).toBe(first)
  expect(read('b')).toEqual(first)
  expect(read('b')).not.toBe(first)
  n = 2
  expect(read('a')).toEqual({ n: 2 })
  n = 0
  expect(read('a')).toBeUndefined()
  expect(read('__proto__')).toBeUndefined()
})

it('does not return a result again that a caller has changed', () => {
  const { read } = keepEqual({ read: () => ({ list: [1] }) })
  read().list.push(2)
  expect(read()).toEqual({ list: [1] })
})
