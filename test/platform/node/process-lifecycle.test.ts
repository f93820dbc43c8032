import { describe, expect, it } from 'vitest'
import { openProcessLifecycle } from '../../../src/platform/node/process-lifecycle.ts'

describe('the process lifecycle', () => {
  it('has one idle listener for all agents, and none without agents', () => {
    const before = process.listenerCount('beforeExit')
    const { onIdle } = openProcessLifecycle()
    const called: number[] = []
    const unsubscribes = Array.from({ length: 30 }, (_, agent) => onIdle(() => called.push(agent)))
    expect(process.listenerCount('beforeExit')).toBe(before + 1)
    unsubscribes[0]!()
    process.listeners('beforeExit').at(-1)!.call(process, 0)
    expect(called).toEqual(Array.from({ length: 29 }, (_, agent) => agent + 1))
    for (const unsubscribe of unsubscribes) unsubscribe()
    expect(process.listenerCount('beforeExit')).toBe(before)
  })

  it('has one exit listener for any number of agents', () => {
    openProcessLifecycle()
    const before = process.listenerCount('exit')
    for (let agent = 0; agent < 30; agent++) openProcessLifecycle().onExit(() => {})
    expect(process.listenerCount('exit')).toBe(before)
  })

  it('keeps the process alive by a timer until it is released', () => {
    const timers = (): number => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
    const before = timers()
    const release = openProcessLifecycle().keepAlive()
    expect(timers()).toBe(before + 1)
    release()
    expect(timers()).toBe(before)
  })
})
