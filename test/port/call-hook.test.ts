import { expect, it } from 'vitest'
import { createHookCaptures } from '../../src/capture/hook-captures.ts'

const openHook = () => {
  const captures = createHookCaptures()
  const calls: string[][] = []
  const run = (...events: string[]): void =>
    captures.run(events, () => {
      calls.push(events)
      captures.note(`after ${events[0]}`)
    })
  return { captures, calls, run }
}

it('calls the hook for other events, alone or beside those that the hook has captured', () => {
  const { calls, run } = openHook()
  run('a')
  run('b', 'after a')
  expect(calls).toEqual([['a'], ['b', 'after a']])
})

it('does not call the hook for what it has captured itself, until that is forgotten', () => {
  const { captures, calls, run } = openHook()
  run('a')
  run('after a')
  run('after a')
  captures.forget(['after a'])
  run('after a')
  expect(calls).toEqual([['a'], ['after a']])
})

it('does not call the hook while it runs', () => {
  const captures = createHookCaptures()
  let count = 0
  captures.run(['a'], () => {
    count++
    captures.run(['b'], () => count++)
  })
  expect(count).toBe(1)
})
