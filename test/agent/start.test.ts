import { describe, expect, it } from 'vitest'
import { createAgent } from '../../src/agent/agent.ts'
import { createAgentWorld } from '../support/agent-harness.ts'

describe('an agent before its start', () => {
  it('reads and writes nothing, sends no request and sets no timer', async () => {
    const world = createAgentWorld()
    world.open({}, false)
    await world.idle()
    expect(world.flagRequests).toEqual([])
    expect(world.storage.get('state')).toBeNull()
    expect(await world.store.disk.keys('', '~')).toEqual([])
    expect(world.clock.pending()).toBe(0)
  })

  it('starts with its first verb, which returns the right value', () => {
    const world = createAgentWorld()
    world.open().agent.identify('user')
    expect(world.open({}, false).agent.getDistinctId()).toBe('user')
    expect(world.open({}, false).agent.isOptedOut()).toBe(false)
  })

  it('starts only once', async () => {
    const world = createAgentWorld()
    const page = world.open({}, false)
    page.start()
    page.start()
    page.agent.capture('event')
    expect((await world.deliver(page)).map(({ event }) => event)).toEqual(['event'])
    expect(world.flagRequests).toHaveLength(1)
  })

  it('warns at each call after a failed start, without a second attempt', () => {
    let starts = 0
    const warnings: unknown[][] = []
    const { verbs, start } = createAgent(
      'key',
      {},
      { warn: (...message) => warnings.push(message), debug() {} },
      () => {
        starts++
        throw new Error('platform')
      },
    )
    start()
    verbs.capture('event')
    expect(verbs.getDistinctId()).toBeUndefined()
    expect(starts).toBe(1)
    expect(warnings[0]).toEqual(['start failed:', new Error('platform')])
  })

  it('can be shut down and then does nothing', async () => {
    const world = createAgentWorld()
    const page = world.open({ defaultOptIn: false }, false)
    const ended = page.agent.shutdown()
    page.agent.identify('user', { plan: 'pro' })
    page.agent.capture('event')
    page.autocapture('$pageview')
    await world.idle()
    await ended
    await world.clock.advance(600_000)
    expect(world.flagRequests).toEqual([])
    expect(world.service.requests).toEqual([])
    expect(world.clock.pending()).toBe(0)
    expect(page.agent.isFeatureEnabled('beta', { defaultValue: true })).toBe(true)
    page.agent.optIn()
    expect(page.agent.isOptedOut()).toBe(true)
    expect(page.agent.getDistinctId()).not.toBe('user')
  })
})

describe('many agents', () => {
  it('share nothing and leave no timer after their shutdown', async () => {
    const worlds = Array.from({ length: 24 }, () => createAgentWorld())
    for (const world of worlds) {
      const page = world.open()
      page.agent.register({ plan: 'pro' })
      page.agent.capture('event')
      await world.idle()
      const ended = page.agent.shutdown()
      await world.idle()
      await ended
      expect(world.clock.pending()).toBe(0)
      expect(world.service.names()).toEqual(['event'])
    }
    const ids = worlds.map((world) => world.open().agent.getDistinctId())
    expect(new Set(ids).size).toBe(1)
  })
})
