import { describe, expect, it } from 'vitest'
import { flagResponses, detailOf, nodeFlagsFixture } from './flags-fixture.ts'

describe('the request for flags', () => {
  // Specification, section 16: "Remote call body: token, distinct_id, groups `{}`, person_properties, group_properties `{}` always present as objects,
  // `geoip_disable` boolean default false (posthog-node's own default is true; ours is false), `flag_keys_to_evaluate` = exactly the asked key for
  // a single read."
  it('has API key, user, flag, geoip_disable, and empty objects by default', async () => {
    const fixture = nodeFlagsFixture()
    await fixture.verbs.getFeatureFlag('a', 'u')
    expect(fixture.bodies()).toEqual([
      {
        api_key: 'key',
        distinct_id: 'u',
        groups: {},
        person_properties: {},
        group_properties: {},
        geoip_disable: false,
        flag_keys_to_evaluate: ['a'],
        evaluation_runtime: 'server',
      },
    ])
    expect(fixture.requests[0]).toMatchObject({
      url: 'https://waymark.test/decide/?v=3',
      contentType: 'application/json',
      timeoutMs: 3_000,
    })
  })

  it('has the properties, groups and evaluation contexts', async () => {
    const fixture = nodeFlagsFixture({ flagsApi: 'flags', disableGeoip: true, evaluationContexts: ['shop'] })
    fixture.respond = () => [200, flagResponses({}).flags]
    const options = { personProperties: { plan: 'pro' }, groupProperties: { company: { seats: 5 } } }
    await fixture.verbs.getFeatureFlag('a', 'u', { ...options, groups: { company: 7, team: '' } })
    await fixture.verbs.getFeatureFlag('a', 'u', { disableGeoip: false })
    expect(fixture.paths()).toEqual(['/flags/?v=2', '/flags/?v=2'])
    expect(fixture.bodies()[0]).toEqual({
      token: 'key',
      distinct_id: 'u',
      groups: { company: '7' },
      person_properties: { plan: 'pro' },
      group_properties: { company: { seats: 5 } },
      geoip_disable: true,
      flag_keys_to_evaluate: ['a'],
      evaluation_contexts: ['shop'],
      evaluation_runtime: 'server',
    })
    expect(fixture.bodies()[1]).toMatchObject({ geoip_disable: false })
  })

  it('is not sent for properties that JSON cannot represent; the first one warns', async () => {
    const fixture = nodeFlagsFixture()
    for (const _ of [1, 2])
      expect(await fixture.verbs.getFeatureFlag('a', 'u', { personProperties: { seats: 1n } })).toBeUndefined()
    await fixture.verbs.getFeatureFlag('a', 'u')
    await fixture.verbs.getFeatureFlag('a', 'u', { personProperties: { seats: 1n } })
    expect(fixture.requests).toHaveLength(1)
    expect(fixture.warnings).toEqual([[expect.stringContaining('the request for feature flags cannot be built: ')]])
  })

  // Specification, section 16: "Two reads are two requests, no hidden result cache." Section 1: "No flag request at construction of a server client without local
  // evaluation"
  it('is sent for each read, and not before the first read', async () => {
    const fixture = nodeFlagsFixture()
    await fixture.clock.advance(100_000)
    expect(fixture.requests).toHaveLength(0)
    await fixture.verbs.getFeatureFlag('a', 'u')
    await fixture.verbs.getFeatureFlag('a', 'u')
    expect(fixture.requests).toHaveLength(2)
  })

  it.each([
    ['decide', '/flags/?v=2', 404],
    ['decide', '/flags/?v=2', 405],
    ['flags', '/decide/?v=3', 410],
  ] as const)(
    'uses and remembers the other API generation if the service lacks %s',
    async (flagsApi, otherPath, status) => {
      const fixture = nodeFlagsFixture({ flagsApi })
      fixture.respond = (index) => {
        if (!fixture.requests[index]!.url.endsWith(otherPath)) return status
        return [
          200,
          flagResponses({ a: 'x' }, { payloads: { a: '{"n":1}' } })[flagsApi === 'decide' ? 'flags' : 'decide'],
        ]
      }
      const result = { key: 'a', enabled: true, variant: 'x', payload: { n: 1 } }
      expect(await fixture.verbs.getFeatureFlagResult('a', 'u')).toEqual(result)
      expect(await fixture.verbs.getFeatureFlagResult('a', 'u')).toEqual(result)
      expect(fixture.paths().slice(1)).toEqual([otherPath, otherPath])
      expect(fixture.bodies()[1]).toHaveProperty(flagsApi === 'decide' ? 'token' : 'api_key', 'key')
    },
  )

  // Specification, section 24: "A 200 with only the old shape (`featureFlags`) on `/flags/?v=2` must be understood too."
  it('may get the older form of a response from /flags/?v=2', async () => {
    const fixture = nodeFlagsFixture({ flagsApi: 'flags' })
    fixture.respond = () => [200, { featureFlags: { a: 'x' }, featureFlagPayloads: { a: '[1]' } }]
    expect(await fixture.verbs.getFeatureFlagResult('a', 'u')).toMatchObject({ variant: 'x', payload: [1] })
  })

  // Specification, section 6: "Flags: 1 retry by default, 300 ms then 600 ms, doubling; 0 disables; the count is bounded; the retry repeats the same body;
  // failure keeps cached flags and does not throw. (better than the field) lite, node and posthog-js all miss it"
  it.each([0, 502, 504])('is retried once, with the same body, 300 ms after status %i', async (status) => {
    const fixture = nodeFlagsFixture()
    fixture.respond = (index) => (index === 0 ? status : [200, flagResponses({ a: true }).decide])
    const read = fixture.verbs.getFeatureFlag('a', 'u')
    await fixture.clock.advance(299)
    expect(fixture.requests).toHaveLength(1)
    await fixture.clock.advance(1)
    expect(await read).toBe(true)
    expect(fixture.requests[1]).toEqual(fixture.requests[0])
    expect(fixture.clock.pending()).toBe(0)
  })

  it('is retried after doubled delays, at most featureFlagsRequestMaxRetries times', async () => {
    const fixture = nodeFlagsFixture({ featureFlagsRequestMaxRetries: 2 })
    fixture.respond = () => 504
    const read = fixture.verbs.getFeatureFlag('a', 'u')
    await fixture.clock.advance(300)
    await fixture.clock.advance(599)
    expect(fixture.requests).toHaveLength(2)
    await fixture.clock.advance(1)
    expect(await read).toBeUndefined()
    expect(fixture.requests).toHaveLength(3)
  })

  it.each([400, 401, 403, 408, 413, 429, 500, 503])('is not retried after status %i', async (status) => {
    const fixture = nodeFlagsFixture()
    fixture.respond = () => status
    expect(await fixture.verbs.getFeatureFlag('a', 'u')).toBeUndefined()
    await fixture.clock.advance(100_000)
    expect(fixture.requests).toHaveLength(1)
  })

  it('is not retried with featureFlagsRequestMaxRetries 0', async () => {
    const fixture = nodeFlagsFixture({ featureFlagsRequestMaxRetries: 0 })
    fixture.respond = () => 0
    expect(await fixture.verbs.getFeatureFlag('a', 'u')).toBeUndefined()
    expect(fixture.requests).toHaveLength(1)
  })

  it('causes one warning per run of failures, without key or user', async () => {
    const fixture = nodeFlagsFixture()
    fixture.respond = (index) => (index === 2 ? [200, flagResponses({}).decide] : 401)
    for (let read = 0; read < 4; read++) await fixture.verbs.getFeatureFlag('a', 'secret-user')
    const warning = ['the request for feature flags failed: api_error_401']
    expect(fixture.warnings).toEqual([warning, warning])
  })

  it('is not sent for cyclic properties: the read resolves without a value', async () => {
    const fixture = nodeFlagsFixture()
    const cyclic: Record<string, unknown> = {}
    cyclic['self'] = cyclic
    expect(await fixture.verbs.getFeatureFlag('a', 'u', { personProperties: cyclic })).toBeUndefined()
    expect((await fixture.verbs.evaluateFlags('u', { personProperties: { n: 1n } })).keys).toEqual([])
    expect(fixture.warnings).toHaveLength(1)
    expect(fixture.requests).toHaveLength(0)
  })

  it.each([undefined, null, 'text', [1]])('has empty objects when the options are %j', async (value) => {
    const fixture = nodeFlagsFixture()
    const options = { groups: value, personProperties: value, groupProperties: value } as never
    await fixture.verbs.getFeatureFlag('a', 'u', options)
    expect(fixture.bodies()[0]).toMatchObject({ groups: {}, person_properties: {}, group_properties: {} })
  })

  it('is neither sent nor retried while opted out', async () => {
    const fixture = nodeFlagsFixture()
    fixture.isOptedOut = true
    expect(await fixture.verbs.getFeatureFlag('a', 'u')).toBeUndefined()
    expect(fixture.requests).toHaveLength(0)
    fixture.isOptedOut = false
    fixture.respond = () => 0
    const read = fixture.verbs.getFeatureFlag('a', 'u')
    await fixture.clock.advance(0)
    fixture.isOptedOut = true
    await fixture.clock.advance(300)
    expect(await read).toBeUndefined()
    expect(fixture.requests).toHaveLength(1)
    expect(fixture.events).toHaveLength(0)
  })

  it('keeps the process alive until its last retry has ended', async () => {
    const fixture = nodeFlagsFixture()
    fixture.respond = () => 0
    const read = fixture.verbs.getFeatureFlag('a', 'u')
    await fixture.clock.advance(100)
    expect(fixture.keepAlives()).toBe(1)
    await fixture.clock.advance(200)
    await read
    expect(fixture.keepAlives()).toBe(0)
  })

  it('is aborted at shutdown, and not retried', async () => {
    const fixture = nodeFlagsFixture()
    fixture.respond = () => 0
    const read = fixture.verbs.getFeatureFlag('a', 'u')
    await fixture.clock.advance(0)
    await fixture.flags.shutdown()
    expect(await read).toBeUndefined()
    await fixture.verbs.getFeatureFlag('a', 'u')
    expect(fixture.requests).toHaveLength(1)
    expect(fixture.clock.pending()).toBe(0)
    expect(fixture.events).toHaveLength(0)
  })

  it('gives the valid flags of a response with an invalid flag', async () => {
    const fixture = nodeFlagsFixture({ flagsApi: 'flags' })
    fixture.respond = () => [200, { flags: { b: 7, c: detailOf('x'), d: { ...detailOf(true), failed: true } } }]
    expect(await fixture.verbs.getFeatureFlags('u')).toEqual({ c: 'x' })
  })
})
