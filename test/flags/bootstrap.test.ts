import { describe, expect, it } from 'vitest'
import { createMemoryKeyValue } from '../../src/platform/memory/memory-key-value.ts'
import { createDecideResponse, createFixture } from './flags-fixture.ts'

describe('bootstrapped flags', () => {
  it('override stored flags at once; flags that are off are left out', () => {
    const storage = createMemoryKeyValue()
    storage.set(
      'flags',
      JSON.stringify({
        owner: 'u',
        flags: {
          a: { enabled: true, variant: 'stored' },
          off: { enabled: true, metadata: { payload: '1' } },
          kept: { enabled: true },
        },
      }),
    )
    const page = createFixture(
      {
        bootstrap: {
          featureFlags: { a: 'boot', off: false },
          featureFlagPayloads: { a: { x: 1 }, off: '2' },
        },
      },
      { storage },
    )
    let received: unknown
    page.flags.verbs.onFeatureFlags((flags) => {
      received = flags
    })
    expect(received).toEqual({ a: 'boot', kept: true })
    expect(page.flags.verbs.getFeatureFlagPayload('off')).toBeUndefined()
    expect(page.flags.verbs.getFeatureFlagPayload('a')).toEqual({ x: 1 })
  })

  it.each([true, false, 'x'])('may be named __proto__ (%j)', (value) => {
    const featureFlags = JSON.parse(JSON.stringify({ a: true, b: value }).replace('"b"', '"__proto__"'))
    const page = createFixture({ bootstrap: { featureFlags } })
    expect(page.flags.verbs.getFeatureFlag('a')).toBe(true)
    expect(page.flags.verbs.getFeatureFlag('__proto__')).toBe(value || undefined)
    expect(Object.keys(page.flags.eventProperties())).toContain('$feature/a')
  })

  it('are replaced by a complete response and reported in $feature_flag_called', async () => {
    const page = createFixture({ bootstrap: { featureFlags: { a: 'boot', gone: true } } })
    page.respond = () => createDecideResponse({ a: 'new' })
    page.flags.verbs.getFeatureFlag('a')
    await page.flags.verbs.reloadFeatureFlags()
    page.flags.verbs.getFeatureFlag('a')
    expect(page.flags.verbs.getFeatureFlags()).toEqual({ a: 'new' })
    expect(page.events.map(({ properties }) => properties)).toMatchObject([
      { $feature_flag_response: 'boot', $feature_flag_bootstrapped_response: 'boot', $used_bootstrap_value: true },
      { $feature_flag_response: 'new', $feature_flag_bootstrapped_response: 'boot', $used_bootstrap_value: false },
    ])
  })

  it('stay for flags that a partial response does not contain', async () => {
    const page = createFixture({
      bootstrap: { featureFlags: { a: 'boot', kept: true }, featureFlagPayloads: { a: 1, kept: 2 } },
    })
    page.respond = () => createDecideResponse({ a: 'new' }, { errorsWhileComputingFlags: true })
    await page.flags.verbs.reloadFeatureFlags()
    expect(page.flags.verbs.getFeatureFlagsAndPayloads()).toEqual({
      flags: { a: 'new', kept: true },
      payloads: { kept: 2 },
    })
  })

  it('are reported with their payload, and with whether they were used', async () => {
    const bootstrap = { featureFlags: { a: 'boot', off: false }, featureFlagPayloads: { a: '{"n":1}' } }
    const page = createFixture({ bootstrap, featureFlagsRequestMaxRetries: 0 })
    page.respond = (index) => (index ? createDecideResponse({ a: 'new', off: true, other: true }) : 500)
    await page.flags.verbs.reloadFeatureFlags()
    page.flags.verbs.getFeatureFlag('a')
    await page.flags.verbs.reloadFeatureFlags()
    for (const key of ['off', 'other']) page.flags.verbs.getFeatureFlag(key)
    expect(page.events.map(({ properties }) => properties)).toEqual([
      expect.objectContaining({
        $feature_flag_bootstrapped_response: 'boot',
        $feature_flag_bootstrapped_payload: { n: 1 },
        $used_bootstrap_value: true,
      }),
      expect.objectContaining({ $feature_flag_bootstrapped_response: false, $used_bootstrap_value: false }),
      expect.not.objectContaining({ $used_bootstrap_value: expect.anything() }),
    ])
  })

  it.each([
    ['partial', { errorsWhileComputingFlags: true }],
    ['empty because the quota is used up', { quotaLimited: ['feature_flags'] }],
  ])('are not reported as used after a response that is %s', async (_description, responseFields) => {
    const page = createFixture({ bootstrap: { featureFlags: { a: true } } })
    page.respond = () => createDecideResponse({}, responseFields)
    await page.flags.verbs.reloadFeatureFlags()
    page.flags.verbs.getFeatureFlag('a')
    expect(page.events[0]!.properties).toMatchObject({ $feature_flag_response: true, $used_bootstrap_value: false })
  })

  it('are removed by reset, on this page and the next', async () => {
    const storage = createMemoryKeyValue()
    const page = createFixture({ bootstrap: { featureFlags: { a: true }, featureFlagPayloads: { a: 1 } } }, { storage })
    page.identity = { distinct_id: 'next', groups: {} }
    page.flags.reset()
    page.respond = () => createDecideResponse({ b: true })
    expect(page.flags.verbs.getFeatureFlagsAndPayloads()).toEqual({ flags: {}, payloads: {} })
    await page.clock.advance(0)
    expect(page.flags.verbs.getFeatureFlags()).toEqual({ b: true })
    page.flags.verbs.getFeatureFlag('a')
    expect(page.events[0]!.properties).not.toHaveProperty('$used_bootstrap_value')
    await page.clock.advance(0)
    expect(createFixture({}, { storage, identity: page.identity }).flags.verbs.getFeatureFlags()).toEqual({ b: true })
  })

  it('that are passed to reset apply to the new user at once', () => {
    const page = createFixture({ bootstrap: { featureFlags: { old: true } } })
    page.identity = { distinct_id: 'next', groups: {} }
    page.flags.reset({ featureFlags: { a: true } })
    expect(page.flags.verbs.getFeatureFlags()).toEqual({ a: true })
  })

  it('stay when the stored identity is read after the start', async () => {
    const page = createFixture({ bootstrap: { featureFlags: { a: true } } })
    page.identity = { distinct_id: 'user', $anon_distinct_id: 'known', groups: {} }
    page.flags.identityChanged('store')
    expect(page.flags.verbs.getFeatureFlags()).toEqual({ a: true })
    await page.clock.advance(0)
    expect(page.bodies()[0]).toMatchObject({ distinct_id: 'user' })
  })

  it('are unknown, not empty, when the bootstrap contains no flags', () => {
    const page = createFixture({ bootstrap: {} })
    page.flags.verbs.onFeatureFlags(() => expect.unreachable())
    page.flags.verbs.getFeatureFlag('a')
    expect(page.events).toEqual([])
  })
})
