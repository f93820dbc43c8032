import { describe, expect, it } from 'vitest'
import { createMemoryKeyValue } from '../../src/platform/memory/memory-key-value.ts'
import { createDecideResponse, createFixture } from './flags-fixture.ts'

describe('$feature_flag_called', () => {
  it('is sent once per flag and value, across reloads and pages', async () => {
    const storage = createMemoryKeyValue()
    const page = createFixture({}, { storage })
    page.respond = (index) =>
      createDecideResponse({ a: index < 2 ? 'x' : 'y' }, { featureFlagPayloads: { a: '{"n":1}' } })
    await page.flags.verbs.reloadFeatureFlags()
    page.flags.verbs.getFeatureFlag('a')
    page.flags.verbs.isFeatureEnabled('a')
    await page.flags.verbs.reloadFeatureFlags()
    page.flags.verbs.getFeatureFlagResult('a')
    expect(page.events).toEqual([
      {
        event: '$feature_flag_called',
        properties: {
          $feature_flag: 'a',
          $feature_flag_response: 'x',
          $feature_flag_payload: { n: 1 },
          $feature_flag_request_id: 'r1',
        },
      },
    ])
    await page.flags.verbs.reloadFeatureFlags()
    page.flags.verbs.getFeatureFlag('a')
    expect(page.events).toHaveLength(2)
    await page.clock.advance(0)
    const nextPage = createFixture({}, { storage })
    nextPage.flags.verbs.getFeatureFlag('a')
    expect(nextPage.events).toHaveLength(0)
  })

  it('is sent again by the agent that starts after shutdown()', async () => {
    const storage = createMemoryKeyValue()
    const page = createFixture({ preloadFeatureFlags: false }, { storage })
    const stop = page.flags.start()
    page.respond = () => createDecideResponse({ a: true })
    await page.flags.verbs.reloadFeatureFlags()
    page.flags.verbs.getFeatureFlag('a')
    await page.clock.advance(0)
    stop()
    await page.clock.advance(0)
    const nextAgent = createFixture({}, { storage })
    nextAgent.flags.verbs.getFeatureFlag('a')
    expect(nextAgent.events).toMatchObject([{ properties: { $feature_flag: 'a', $feature_flag_response: true } }])
  })

  it('is not sent for payloads, getFeatureFlags, send: false or before a load', async () => {
    const page = createFixture()
    page.flags.verbs.getFeatureFlag('a')
    page.respond = () => createDecideResponse({ a: true })
    await page.flags.verbs.reloadFeatureFlags()
    page.flags.verbs.getFeatureFlagPayload('a')
    page.flags.verbs.getFeatureFlags()
    page.flags.verbs.getFeatureFlagsAndPayloads()
    page.flags.verbs.getFeatureFlag('a', { send: false })
    expect(page.events).toHaveLength(0)
  })

  it('reports a missing flag once, with the errors of the last load', async () => {
    const page = createFixture()
    page.respond = () => createDecideResponse({ a: true }, { errorsWhileComputingFlags: true })
    await page.flags.verbs.reloadFeatureFlags()
    page.flags.verbs.getFeatureFlag('none')
    page.flags.verbs.getFeatureFlag('none')
    expect(page.events.map(({ properties }) => properties)).toEqual([
      {
        $feature_flag: 'none',
        $feature_flag_request_id: 'r1',
        $feature_flag_error: 'errors_while_computing_flags,flag_missing',
      },
    ])
  })

  it('is sent again for another identity but not for another group', async () => {
    const page = createFixture()
    page.respond = () => createDecideResponse({ a: true })
    await page.flags.verbs.reloadFeatureFlags()
    page.flags.verbs.getFeatureFlag('a')
    page.identity = { distinct_id: 'u', groups: { company: 'acme' } }
    page.flags.identityChanged()
    page.flags.verbs.getFeatureFlag('a')
    expect(page.events).toHaveLength(1)
    page.identity = { distinct_id: 'user', $anon_distinct_id: 'u', groups: {} }
    page.flags.identityChanged()
    page.flags.verbs.getFeatureFlag('a')
    expect(page.events).toHaveLength(2)
    await page.clock.advance(0)
  })

  it('is sent by a later read if it was dropped or the user was opted out', async () => {
    const page = createFixture()
    page.respond = () => createDecideResponse({ a: true })
    await page.flags.verbs.reloadFeatureFlags()
    page.optedOut = true
    page.flags.verbs.getFeatureFlag('a')
    page.optedOut = false
    page.acceptsEvents = false
    page.flags.verbs.getFeatureFlag('a')
    expect(page.events).toHaveLength(0)
    page.acceptsEvents = true
    page.flags.verbs.getFeatureFlag('a')
    expect(page.events).toHaveLength(1)
  })

  it('contains the id, version and reason of the flag', async () => {
    const page = createFixture()
    const createFlag = (reason: object, id: number) => ({
      enabled: true,
      variant: 'x',
      reason,
      metadata: { id, version: 3, payload: null },
    })
    page.respond = () => [
      200,
      {
        flags: {
          a: createFlag({ code: 'match', description: 'Matched condition 1' }, 7),
          b: createFlag({ code: 'match' }, 8),
        },
        requestId: 'r2',
      },
    ]
    await page.flags.verbs.reloadFeatureFlags()
    page.flags.verbs.getFeatureFlag('a')
    page.flags.verbs.getFeatureFlag('b')
    expect(page.events.map(({ properties }) => properties)).toEqual([
      {
        $feature_flag: 'a',
        $feature_flag_response: 'x',
        $feature_flag_id: 7,
        $feature_flag_version: 3,
        $feature_flag_reason: 'Matched condition 1',
        $feature_flag_request_id: 'r2',
      },
      expect.objectContaining({ $feature_flag_id: 8, $feature_flag_reason: 'match' }),
    ])
  })

  it('is sent again for the oldest of more than 1,000 reported reads', async () => {
    const page = createFixture()
    page.respond = () => createDecideResponse({ first: true, second: true })
    await page.flags.verbs.reloadFeatureFlags()
    const { getFeatureFlag } = page.flags.verbs
    /** Reads a flag, and returns how many events the read has sent. */
    const countReports = (key: string): number => {
      const countBefore = page.events.length
      getFeatureFlag(key)
      return page.events.length - countBefore
    }
    for (const key of ['first', 'second']) expect(countReports(key)).toBe(1)
    for (let index = 2; index < 1_001; index++) expect(countReports(`flag ${index}`)).toBe(1)
    expect(countReports('second')).toBe(0)
    expect(countReports('first')).toBe(1)
    expect(countReports('second')).toBe(1)
  })

  it('is sent again after reset and after stop', async () => {
    const page = createFixture()
    page.respond = () => createDecideResponse({ a: true })
    const stop = page.flags.start()
    await page.clock.advance(0)
    page.flags.verbs.getFeatureFlag('a')
    page.identity = { distinct_id: 'next', groups: {} }
    page.flags.reset()
    await page.clock.advance(0)
    page.flags.verbs.getFeatureFlag('a')
    expect(page.events).toHaveLength(2)
    stop()
    page.flags.verbs.getFeatureFlag('a')
    expect(page.events).toHaveLength(3)
  })

  describe('with minimal properties', () => {
    const getAllowedPropertyPattern = async (body: object) => {
      const page = createFixture()
      page.respond = () => [200, body]
      await page.flags.verbs.reloadFeatureFlags()
      page.flags.verbs.getFeatureFlag('a')
      return page.events[0]?.allowedNames
    }
    const flagsWith = (has_experiment?: unknown) => ({ a: { enabled: true, metadata: { id: 1, has_experiment } } })

    it.each(['minimalFlagCalledEvents', 'minimal_flag_called_events'])(
      'is sent when the service sets %s and the flag has no experiment',
      async (key) => {
        expect(await getAllowedPropertyPattern({ flags: flagsWith(false), [key]: true })).toBeInstanceOf(RegExp)
      },
    )

    it.each([
      [false, { flags: flagsWith(false) }],
      [false, { flags: flagsWith(false), minimalFlagCalledEvents: 'yes' }],
      [true, { flags: flagsWith(true), minimalFlagCalledEvents: true }],
      [undefined, { flags: flagsWith(), minimalFlagCalledEvents: true }],
      [undefined, { featureFlags: { a: true }, minimalFlagCalledEvents: true }],
    ])('is not sent with has_experiment %s and %j', async (_hasExperiment, body) => {
      expect(await getAllowedPropertyPattern(body)).toBeUndefined()
    })

    it('is sent on later pages too, until a response changes it', async () => {
      const storage = createMemoryKeyValue()
      const page = createFixture({}, { storage })
      page.respond = () => [200, { flags: flagsWith(false), minimalFlagCalledEvents: true }]
      await page.flags.verbs.reloadFeatureFlags()
      await page.clock.advance(0)
      const nextPage = createFixture({}, { storage })
      nextPage.flags.verbs.getFeatureFlag('a')
      expect(nextPage.events[0]!.allowedNames).toBeInstanceOf(RegExp)
      nextPage.respond = () => [200, { flags: { ...flagsWith(false), b: flagsWith(false).a } }]
      await nextPage.flags.verbs.reloadFeatureFlags()
      nextPage.flags.verbs.getFeatureFlag('b')
      expect(nextPage.events[1]!.allowedNames).toBeUndefined()
    })

    it('keeps properties of the flag, ids, session, campaign and library', async () => {
      const allowedNames = (await getAllowedPropertyPattern({
        flags: flagsWith(false),
        minimalFlagCalledEvents: true,
      }))!
      const keptProperties = [
        '$feature_flag',
        '$feature_flag_response',
        '$used_bootstrap_value',
        'distinct_id',
        '$device_id',
        '$session_id',
        '$window_id',
        '$groups',
        '$is_identified',
        '$process_person_profile',
        '$geoip_disable',
        '$lib',
        '$lib_version',
        'utm_source',
        'gclid',
        'fbclid',
        'wbraid',
        'gad_source',
        'mc_cid',
        'rdt_cid',
        'sccid',
        'gclsrc',
        'igshid',
        'epik',
        '_kx',
      ]
      const removedProperties = [
        '$referrer',
        '$referring_domain',
        '$current_url',
        '$feature/other',
        '$lib_custom',
        'plan',
        'email',
        'session_id',
        'customer_cid',
        'account_clid',
      ]
      expect([...keptProperties, ...removedProperties].filter((name) => allowedNames.test(name))).toEqual(
        keptProperties,
      )
    })
  })
})
