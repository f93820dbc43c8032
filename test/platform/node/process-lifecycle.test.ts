import { describe, expect, it } from 'vitest'
import { openProcessLifecycle } from '../../../src/platform/node/process-lifecycle.ts'

describe('the process lifecycle', () => {
  it('has one idle listener for all agents, and none without agents', () => {
    const initialCount = process.listenerCount('beforeExit')
    const { onIdle } = openProcessLifecycle()
    const calledAgents: number[] = []
    const unsubscribes = Array.from({ length: 30 }, (_, agent) => onIdle(() => calledAgents.push(agent)))
    expect(process.listenerCount('beforeExit')).toBe(initialCount + 1)
    unsubscribes[0]!()
    process.listeners('beforeExit').at(-1)!.call(process, 0)
    expect(calledAgents).toEqual(Array.from({ length: 29 }, (_, agent) => agent + 1))
    for (const unsubscribe of unsubscribes) unsubscribe()
    expect(process.listenerCount('beforeExit')).toBe(initialCount)
  })

  it('has one exit listener for any number of agents', () => {
    openProcessLifecycle()
    const initialCount = process.listenerCount('exit')
    for (let agent = 0; agent < 30; agent++) openProcessLifecycle().onExit(() => {})
    expect(process.listenerCount('exit')).toBe(initialCount)
  })

  it('keeps the process alive by a timer until it is released', () => {
    const countTimers = (): number => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
    const initialCount = countTimers()
    const release = openProcessLifecycle().keepAlive()
    expect(countTimers()).toBe(initialCount + 1)
    release()
    expect(countTimers()).toBe(initialCount)
  })
})
