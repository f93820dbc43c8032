import { describe, expect, it } from 'vitest'
import { createAgentHarness } from '../../support/agent-harness.ts'
import { openExtended } from '../../support/extended-page.ts'

describe('overrideFeatureFlags', () => {
  it('replaces values and payloads on this page, and is not reported', async () => {
    const harness = createAgentHarness()
    harness.flags = { beta: true, hero: 'calm' }
    harness.extraFlagResponse = { featureFlagPayloads: { beta: '1', hero: '2' } }
    const page = openExtended(harness)
    await harness.waitUntilIdle()
    const { agent } = page
    agent.overrideFeatureFlags({ beta: false, hero: 'bold', extra: true }, { extra: { max: 3 } })
    expect(agent.getFeatureFlag('hero')).toBe('bold')
    expect(agent.isFeatureEnabled('beta', { defaultValue: true })).toBe(false)
    expect(agent.getFeatureFlagPayload('beta')).toBeUndefined()
    expect(agent.getFeatureFlagResult('extra')).toEqual({ key: 'extra', enabled: true, payload: { max: 3 } })
    const flags = { beta: false, hero: 'bold', extra: true }
    expect(agent.getFeatureFlags()).toEqual(flags)
    expect(agent.getFeatureFlagsAndPayloads()).toEqual({ flags, payloads: { extra: { max: 3 } } })
    expect(agent.getFeatureFlag('constructor', { send: false })).toBeUndefined()
    agent.capture('event')
    const [event] = await harness.deliver(page)
    expect(event).toMatchObject({
      event: 'event',
      properties: {
        '$feature/beta': false,
        '$feature/hero': 'bold',
        '$feature/extra': true,
        $active_feature_flags: ['hero', 'extra'],
      },
    })
  })

  it('tells listeners, also before the first load', async () => {
    const harness = createAgentHarness()
    harness.flags = { beta: true }
    const { agent } = openExtended(harness, { preloadFeatureFlags: false })
    const told: unknown[] = []
    agent.overrideFeatureFlags({ hero: 'bold' })
    const stop = agent.onFeatureFlags((flags, { isStale }) => told.push([flags, isStale]))
    const reloaded = agent.reloadFeatureFlags((flags) => told.push(flags))
    await harness.waitUntilIdle()
    await reloaded
    agent.overrideFeatureFlags()
    stop()
    agent.overrideFeatureFlags({ hero: 'calm' })
    expect(told).toEqual([
      [{ hero: 'bold' }, true],
      [{ beta: true, hero: 'bold' }, false],
      { beta: true, hero: 'bold' },
      [{ beta: true }, false],
    ])
  })

  it('ends with reset(), and ignores values that are no flags', () => {
    const { agent } = openExtended(createAgentHarness())
    agent.overrideFeatureFlags({ a: true, b: 7 as never })
    expect(agent.getFeatureFlags()).toEqual({ a: true })
    agent.reset()
    expect(agent.getFeatureFlags()).toEqual({})
  })
})
