import { afterEach, describe, expect, it, vi } from 'vitest'
import { browserClock } from '../../../src/platform/browser/clock.ts'

afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

describe('the browser clock', () => {
  it("asks for the platform's time at the call, not at import", () => {
    const clock = browserClock()
    vi.useFakeTimers({ now: 1234 })
    expect(clock.now()).toBe(1234)
    let ran = 0
    clock.after(50, () => ran++)
    const cancel = clock.after(50, () => ran++)
    cancel()
    vi.advanceTimersByTime(50)
    expect(ran).toBe(1)
  })

  it('does not run a wait of more than 24 days at once', () => {
    vi.useFakeTimers()
    let ran = false
    browserClock().after(2 ** 40, () => (ran = true))
    vi.advanceTimersByTime(60_000)
    expect(ran).toBe(false)
  })

  it('defers behind the running turn, in order, and past a task that throws', async () => {
    const clock = browserClock()
    const seen: string[] = []
    const done = new Promise<void>((resolve) => {
      clock.defer(() => seen.push('first'))
      clock.defer(() => {
        seen.push('second')
        clock.defer(() => {
          seen.push('third')
          resolve()
        })
      })
    })
    void Promise.resolve().then(() => seen.push('microtask'))
    seen.push('turn')
    await done
    expect(seen).toEqual(['turn', 'microtask', 'first', 'second', 'third'])
  })

  it('defers by the scheduler of the page where there is one', async () => {
    const postTask = vi.fn((task: () => void) => Promise.resolve().then(task))
    vi.stubGlobal('scheduler', { postTask })
    await new Promise<void>((resolve) => browserClock().defer(resolve))
    expect(postTask).toHaveBeenCalledTimes(1)
  })

  it('keeps no Node process alive', async () => {
    const alive = () => process.getActiveResourcesInfo().filter((name) => /Timeout/.test(name)).length
    const before = alive()
    const clock = browserClock()
    clock.after(60_000, () => {})
    await new Promise<void>((resolve) => clock.defer(resolve))
    clock.defer(() => {})
    expect(alive()).toBeLessThanOrEqual(before)
  })
})
