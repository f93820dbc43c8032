import { describe, expect, it } from 'vitest'
import { nodeProcess } from '../../../src/platform/node/process.ts'

describe('the process', () => {
  it.each(['beforeExit', 'exit'] as const)('has one listener for all agents, and none without them: %s', (name) => {
    const before = process.listenerCount(name)
    const subscribe = name === 'exit' ? nodeProcess.onExit : nodeProcess.onIdle
    const heard: number[] = []
    const ends = Array.from({ length: 30 }, (_, agent) => subscribe(() => heard.push(agent)))
    expect(process.listenerCount(name)).toBe(before + 1)
    ends[0]!()
    process
      .listeners(name as 'exit')
      .at(-1)!
      .call(process, 0)
    expect(heard).toEqual(Array.from({ length: 29 }, (_, agent) => agent + 1))
    for (const end of ends) end()
    expect(process.listenerCount(name)).toBe(before)
  })

  it('is held by a timer until the hold ends', () => {
    const timers = (): number => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
    const before = timers()
    const release = nodeProcess.hold()
    expect(timers()).toBe(before + 1)
    release()
    expect(timers()).toBe(before)
  })
})
