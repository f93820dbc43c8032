import { describe, expect, it } from 'vitest'
import { createEdgeClock } from '../../../src/platform/edge/clock.ts'
import type { Clock } from '../../../src/port/clock.ts'
import { manualClock } from '../../support/manual-clock.ts'

const settle = () => new Promise<void>((resolve) => setImmediate(resolve))

/** A runtime that drops its timers, as Cloudflare does after a request. */
const createForgetfulRuntime = () => {
  const real = manualClock(0)
  let isForgetting = false
  const platform: Clock = {
    ...real,
    after: (delayMs, task) => real.after(delayMs, () => !isForgetting && task()),
  }
  return { real, platform, forget: () => (isForgetting = true) }
}

describe('the edge clock', () => {
  it('runs a task once and on time if the timers are reliable', async () => {
    const real = manualClock(0)
    const clock = createEdgeClock(real)
    const ranTasks: number[] = []
    clock.after(100, () => ranTasks.push(real.now()))
    await real.advance(99)
    clock.now()
    await settle()
    expect(ranTasks).toEqual([])
    await real.advance(1)
    clock.now()
    await real.advance(1_000)
    expect(ranTasks).toEqual([100])
  })

  it('runs the task of a dropped timer after the next now()', async () => {
    const { real, platform, forget } = createForgetfulRuntime()
    const clock = createEdgeClock(platform)
    const ranTasks: string[] = []
    clock.after(100, () => ranTasks.push('forgotten'))
    forget()
    await real.advance(5_000)
    expect(ranTasks).toEqual([])
    expect(clock.now()).toBe(5_000)
    // Never inside the call of `now()`.
    expect(ranTasks).toEqual([])
    await settle()
    clock.now()
    await settle()
    expect(ranTasks).toEqual(['forgotten'])
  })

  it('keeps a task whose timer the runtime refuses', async () => {
    const real = manualClock(0)
    const clock = createEdgeClock({
      ...real,
      after() {
        throw new Error('Disallowed operation called within global scope')
      },
    })
    const ranTasks: string[] = []
    clock.after(100, () => ranTasks.push('after'))
    clock.defer(() => ranTasks.push('deferred'))
    clock.now()
    await settle()
    expect(ranTasks).toEqual(['deferred'])
    await real.advance(100)
    clock.now()
    await settle()
    expect(ranTasks).toEqual(['deferred', 'after'])
  })

  it('does not run a cancelled task, even if it is cancelled right after now()', async () => {
    const { real, platform, forget } = createForgetfulRuntime()
    const clock = createEdgeClock(platform)
    const ranTasks: string[] = []
    const cancelEarly = clock.after(100, () => ranTasks.push('early'))
    const cancelLate = clock.after(100, () => ranTasks.push('late'))
    cancelEarly()
    expect(real.pending()).toBe(1)
    forget()
    await real.advance(200)
    clock.now()
    cancelLate()
    await settle()
    expect(ranTasks).toEqual([])
  })
})
