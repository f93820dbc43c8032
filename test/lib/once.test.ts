import { expect, it } from 'vitest'
import { once } from '../../src/lib/once.ts'

it('passes on only the first call', () => {
  const calls: number[] = []
  const pushOnce = once((value: number) => calls.push(value))
  pushOnce(1)
  pushOnce(2)
  expect(calls).toEqual([1])
})
