import { describe, expect, it } from 'vitest'
import { createAgent } from '../../src/agent/agent.ts'
import { flags, surveys } from '../../src/agent/parts.ts'
import { createAgentHarness } from '../support/agent-harness.ts'

describe('an agent before its start', () => {
  it('reads and writes nothing, sends no request and sets no timer', async () => {
    const harness = createAgentHarness()
    harness.open({}, { isStarted: false })
    await harness.waitUntilIdle()
    expect(harness.flagRequests).toEqual([])
    expect(harness.storage.get('state')).toBeNull()
    expect(await harness.store.disk.keys('', '~')).toEqual([])
    expect(harness.clock.pending()).toBe(0)
  })

  it('starts at the first call of a verb, which already returns the stored value', () => {
    const harness = createAgentHarness()
    harness.open().agent.identify('user')
    expect(harness.open({}, { isStarted: false }).agent.getDistinctId()).toBe('user')
    expect(harness.open({}, { isStarted: false }).agent.isOptedOut()).toBe(false)
  })

  it('starts only once', async () => {
    const harness = createAgentHarness()
    const page = harness.open({}, { isStarted: false })
    page.start()
    page.start()
    page.agent.capture('event')
    expect((await harness.deliver(page)).map(({ event }) => event)).toEqual(['event'])
    expect(harness.flagRequests).toHaveLength(1)
  })

  it('warns with the error of a failed start, and does not try to start again', () => {
    let startCount = 0
    const warnings: unknown[][] = []
    const { verbs, start } = createAgent(
      'key',
      {},
      { warn: (...message) => warnings.push(message), debug() {} },
      { flags, surveys },
      () => {
        startCount++
        throw new Error('platform')
      },
    )
    start()
    verbs.capture('event')
    expect(verbs.getDistinctId()).toBeUndefined()
    expect(startCount).toBe(1)
    expect(warnings[0]).toEqual(['start failed:', new Error('platform')])
  })

  it('can be shut down, and then does nothing', async () => {
    const harness = createAgentHarness()
    const page = harness.open({ defaultOptIn: false }, { isStarted: false })
    const shutdownResult = page.agent.shutdown()
    page.agent.identify('user', { plan: 'pro' })
    page.agent.capture('event')
    page.autocapture('$pageview')
    await harness.waitUntilIdle()
    await shutdownResult
    await harness.clock.advance(600_000)
    expect(harness.flagRequests).toEqual([])
    expect(harness.service.requests).toEqual([])
    expect(harness.clock.pending()).toBe(0)
    expect(page.agent.isFeatureEnabled('beta', { defaultValue: true })).toBe(true)
    page.agent.optIn()
    expect(page.agent.isOptedOut()).toBe(true)
    expect(page.agent.getDistinctId()).not.toBe('user')
  })
})

describe('agents of different profiles', () => {
  it('do not influence each other and leave no timer after their shutdown', async () => {
    const harnesses = Array.from({ length: 24 }, () => createAgentHarness())
    for (const harness of harnesses) {
      const page = harness.open()
      page.agent.register({ plan: 'pro' })
      page.agent.capture('event')
      await harness.waitUntilIdle()
      const shutdownResult = page.agent.shutdown()
      await harness.waitUntilIdle()
      await shutdownResult
      expect(harness.clock.pending()).toBe(0)
      expect(harness.service.eventNames()).toEqual(['event'])
    }
    // All profiles have the same fake random numbers. Equal ids show that no agent has used the numbers of another.
    const distinctIds = harnesses.map((harness) => harness.open().agent.getDistinctId())
    expect(new Set(distinctIds).size).toBe(1)
  })
})
