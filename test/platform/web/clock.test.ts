import { afterEach, describe, expect, it, vi } from 'vitest'
import { createClock } from '../../../src/platform/web/clock.ts'

afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

describe('the browser clock', () => {
  it("reads the platform's time at the call, not at import", () => {
    const clock = createClock()
    vi.useFakeTimers({ now: 1234 })
    expect(clock.now()).toBe(1234)
    let runCount = 0
    clock.after(50, () => runCount++)
    const cancel = clock.after(50, () => runCount++)
    cancel()
    vi.advanceTimersByTime(50)
    expect(runCount).toBe(1)
  })

  it('does not run a task with a delay of more than 24 days at once', () => {
    vi.useFakeTimers()
    let hasRun = false
    createClock().after(2 ** 40, () => (hasRun = true))
    vi.advanceTimersByTime(60_000)
    expect(hasRun).toBe(false)
  })

  it('runs deferred tasks in order after the current turn, even if one of them throws', async () => {
    const clock = createClock()
    const calls: string[] = []
    const completion = new Promise<void>((resolve) => {
      clock.defer(() => calls.push('first'))
      clock.defer(() => {
        calls.push('second')
        clock.defer(() => {
          calls.push('third')
          resolve()
        })
      })
    })
    void Promise.resolve().then(() => calls.push('microtask'))
    calls.push('turn')
    await completion
    expect(calls).toEqual(['turn', 'microtask', 'first', 'second', 'third'])
  })

  it('defers tasks with the scheduler of the page if it has one', async () => {
    const postTask = vi.fn((task: () => void) => Promise.resolve().then(task))
    vi.stubGlobal('scheduler', { postTask })
    await new Promise<void>((resolve) => createClock().defer(resolve))
    expect(postTask).toHaveBeenCalledTimes(1)
  })

  it.each([
    ['a calendar', { init: () => {} }],
    ['a string', 'off'],
    ['an object without postTask', { yield: () => Promise.resolve() }],
    ['null', null],
    [
      'a method that throws',
      {
        postTask: () => {
          throw new TypeError('no task')
        },
      },
    ],
  ])('defers tasks where the scheduler of the page is %s', async (_, scheduler) => {
    vi.stubGlobal('scheduler', scheduler)
    await new Promise<void>((resolve) => createClock().defer(resolve))
  })

  it('does not keep a Node process alive', async () => {
    const countTimers = () => process.getActiveResourcesInfo().filter((name) => /Timeout/.test(name)).length
    const initialCount = countTimers()
    const clock = createClock()
    clock.after(60_000, () => {})
    await new Promise<void>((resolve) => clock.defer(resolve))
    clock.defer(() => {})
    expect(countTimers()).toBeLessThanOrEqual(initialCount)
  })

  it('uses the timers that zone.js has kept, which no app waits for', () => {
    const timers = { setTimeout: vi.fn(() => 7), clearTimeout: vi.fn() }
    vi.stubGlobal('__zone_symbol__setTimeout', timers.setTimeout)
    vi.stubGlobal('__zone_symbol__clearTimeout', timers.clearTimeout)
    const task = (): void => undefined
    createClock().after(300_000, task)()
    expect([timers.setTimeout.mock.calls, timers.clearTimeout.mock.calls]).toEqual([[[task, 300_000]], [[7]]])
  })
})
