import { describe, expect, it } from 'vitest'
import { openNodeProcess } from '../../../src/platform/node/process.ts'

describe('the process', () => {
  it('has one listener for all agents, and none of its idleness without them', () => {
    const before = process.listenerCount('beforeExit')
    const { onIdle } = openNodeProcess()
    const heard: number[] = []
    const ends = Array.from({ length: 30 }, (_, agent) => onIdle(() => heard.push(agent)))
    expect(process.listenerCount('beforeExit')).toBe(before + 1)
    ends[0]!()
    process.listeners('beforeExit').at(-1)!.call(process, 0)
    expect(heard).toEqual(Array.from({ length: 29 }, (_, agent) => agent + 1))
    for (const end of ends) end()
    expect(process.listenerCount('beforeExit')).toBe(before)
  })

  it('has one listener of its end, however many agents begin and wait', () => {
    openNodeProcess()
    const before = process.listenerCount('exit')
    for (let agent = 0; agent < 30; agent++) openNodeProcess().onExit(() => {})
    expect(process.listenerCount('exit')).toBe(before)
  })

  it('is held by a timer until the hold ends', () => {
    const timers = (): number => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
    const before = timers()
    const release = openNodeProcess().hold()
    expect(timers()).toBe(before + 1)
    release()
    expect(timers()).toBe(before)
  })
})
