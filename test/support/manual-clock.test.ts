import { describe, expect, it } from 'vitest'
import { manualClock } from './manual-clock.ts'

describe('the manual clock', () => {
  it('runs timers by due time, including those that another timer has added', async () => {
    const clock = manualClock(1_000)
    const calls: [string, number][] = []
    clock.after(20, () => calls.push(['b', clock.now()]))
    clock.after(10, () => {
      calls.push(['a', clock.now()])
      clock.after(5, () => calls.push(['a2', clock.now()]))
    })
    clock.after(10, () => calls.push(['a1', clock.now()]))
    await clock.advance(20)
    expect(calls).toEqual([
      ['a', 1_010],
      ['a1', 1_010],
      ['a2', 1_015],
      ['b', 1_020],
    ])
    expect(clock.now()).toBe(1_020)
  })

  it('runs neither cancelled timers nor those that are not due', async () => {
    const clock = manualClock()
    let runs = 0
    const cancel = clock.after(10, () => runs++)
    clock.after(11, () => runs++)
    cancel()
    await clock.advance(10)
    expect(runs).toBe(0)
    expect(clock.pending()).toBe(1)
  })

  it('keeps the remaining time of a timer when the wall clock is set', async () => {
    const clock = manualClock(1_000)
    let ran = false
    clock.after(10, () => {
      ran = true
    })
    clock.set(0)
    await clock.advance(9)
    expect(ran).toBe(false)
    await clock.advance(1)
    expect(ran).toBe(true)
    expect(clock.now()).toBe(10)
  })
})
