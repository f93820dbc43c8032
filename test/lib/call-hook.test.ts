import { expect, it } from 'vitest'
import { callHook, forgetCauses, isRunning, noteCauses } from '../../src/lib/call-hook.ts'

const openHook = () => {
  const calls: string[][] = []
  const run = (...events: string[]): void =>
    callHook(
      run,
      () => {
        calls.push(events)
        noteCauses(`after ${events[0]}`)
      },
      events,
    )
  return { calls, run }
}

it('calls the hook for other events, alone or beside those that the hook has captured', () => {
  const { calls, run } = openHook()
  run('a')
  run('b', 'after a')
  expect(calls).toEqual([['a'], ['b', 'after a']])
  forgetCauses(['after a', 'after b'])
})

it('does not call the hook for what it has captured itself, until that is forgotten', () => {
  const { calls, run } = openHook()
  run('a')
  run('after a')
  run('after a')
  forgetCauses(['after a'])
  run('after a')
  expect(calls).toEqual([['a'], ['after a']])
  forgetCauses(['after a', 'after after a'])
})

it('does not call the hook for what another hook has captured because of it', () => {
  const { calls, run } = openHook()
  callHook(run, () => callHook('other', () => noteCauses('a')))
  run('a')
  callHook('other', () => calls.push(['other']), ['a'])
  expect(calls).toEqual([])
  forgetCauses(['a'])
})

it('does not call the hook while it runs, and calls it afterwards', () => {
  let count = 0
  const call = (): void =>
    callHook(call, () => {
      expect(isRunning(call)).toBe(true)
      count++
      call()
    })
  call()
  expect(count).toBe(1)
  call()
  expect(count).toBe(2)
  expect(isRunning(call)).toBe(false)
})

it('passes an error on, and works after it', () => {
  let count = 0
  const call = (): void =>
    callHook(call, () => {
      count++
      throw new Error('no')
    })
  expect(call).toThrow('no')
  expect(call).toThrow('no')
  expect(count).toBe(2)
})
