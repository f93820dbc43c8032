import { expect, it } from 'vitest'
import { skipNested } from '../../src/port/skip-nested.ts'

it('skips a call that the call itself makes, and no later one', () => {
  const calls: string[] = []
  const call = skipNested((name: string) => {
    calls.push(name)
    call('nested')
  })
  call('first')
  call('second')
  expect(calls).toEqual(['first', 'second'])
})

it('passes an error on, and works after it', () => {
  let count = 0
  const call = skipNested(() => {
    count++
    throw new Error('no')
  })
  expect(call).toThrow('no')
  expect(call).toThrow('no')
  expect(count).toBe(2)
})
