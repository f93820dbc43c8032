import { describe, expect, it } from 'vitest'
import { createAgent } from '../../src/agent/agent.ts'
import { createAgentWorld } from '../support/agent-harness.ts'

describe('an agent that has not begun', () => {
  it('reads, writes, asks and arms nothing', async () => {
    const world = createAgentWorld()
    world.open({}, false)
    await world.idle()
    expect(world.asked).toEqual([])
    expect(world.storage.get('state')).toBeNull()
    expect(await world.store.disk.keys('', '~')).toEqual([])
    expect(world.clock.pending()).toBe(0)
  })

  it('begins with its first verb, whose answer is right', () => {
    const world = createAgentWorld()
    world.open().agent.identify('user')
    expect(world.open({}, false).agent.getDistinctId()).toBe('user')
    expect(world.open({}, false).agent.isOptedOut()).toBe(false)
  })

  it('begins once', async () => {
    const world = createAgentWorld()
    const page = world.open({}, false)
    page.begin()
    page.begin()
    page.agent.capture('event')
    expect((await world.arrived(page)).map(({ event }) => event)).toEqual(['event'])
    expect(world.asked).toHaveLength(1)
  })

  it('whose start fails warns at each call, throws nothing, and is not started again', () => {
    let starts = 0
    const warnings: unknown[][] = []
    const { verbs, begin } = createAgent('key', {}, { warn: (...given) => warnings.push(given), debug() {} }, () => {
      starts++
      throw new Error('platform')
    })
    begin()
    verbs.capture('event')
    expect(verbs.getDistinctId()).toBeUndefined()
    expect(starts).toBe(1)
    expect(warnings[0]).toEqual(['start failed:', new Error('platform')])
  })

  it('can be shut down without ever having begun: it then does nothing at all', async () => {
    const world = createAgentWorld()
    const page = world.open({ defaultOptIn: false }, false)
    const ended = page.agent.shutdown()
    page.agent.identify('user', { plan: 'pro' })
    page.agent.capture('event')
    page.autocapture('$pageview')
    await world.idle()
    await ended
    await world.clock.advance(600_000)
    expect(world.asked).toEqual([])
    expect(world.service.requests).toEqual([])
    expect(world.clock.pending()).toBe(0)
    expect(page.agent.isFeatureEnabled('beta', { defaultValue: true })).toBe(true)
    page.agent.optIn()
    expect(page.agent.isOptedOut()).toBe(true)
    expect(page.agent.getDistinctId()).not.toBe('user')
  })
})

describe('agents made and thrown away', () => {
  it('by the dozen share nothing and leave no timer', async () => {
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
