import { afterEach, describe, expect, it, vi } from 'vitest'
import { createBrowserClock } from '../../../src/platform/browser/clock.ts'

afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

describe('the browser clock', () => {
  it("reads the platform's time at the call, not at import", () => {
    const clock = createBrowserClock()
    vi.useFakeTimers({ now: 1234 })
    expect(clock.now()).toBe(1234)
    let ran = 0
    clock.after(50, () => ran++)
    const cancel = clock.after(50, () => ran++)
    cancel()
    vi.advanceTimersByTime(50)
    expect(ran).toBe(1)
  })

  it('does not run a task with a delay of more than 24 days at once', () => {
    vi.useFakeTimers()
    let ran = false
    createBrowserClock().after(2 ** 40, () => (ran = true))
    vi.advanceTimersByTime(60_000)
    expect(ran).toBe(false)
  })

  it('runs deferred tasks in order after the current turn, even if one of them throws', async () => {
    const clock = createBrowserClock()
    const calls: string[] = []
    const done = new Promise<void>((resolve) => {
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
    await done
    expect(calls).toEqual(['turn', 'microtask', 'first', 'second', 'third'])
  })

  it('defers tasks with the scheduler of the page if it has one', async () => {
    const postTask = vi.fn((task: () => void) => Promise.resolve().then(task))
    vi.stubGlobal('scheduler', { postTask })
    await new Promise<void>((resolve) => createBrowserClock().defer(resolve))
    expect(postTask).toHaveBeenCalledTimes(1)
  })

  it('does not keep a Node process alive', async () => {
    const alive = () => process.getActiveResourcesInfo().filter((name) => /Timeout/.test(name)).length
    const before = alive()
    const clock = createBrowserClock()
    clock.after(60_000, () => {})
    await new Promise<void>((resolve) => clock.defer(resolve))
    clock.defer(() => {})
    expect(alive()).toBeLessThanOrEqual(before)
  })
})
