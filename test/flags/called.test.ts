import { describe, expect, it } from 'vitest'
import { memoryKeyValue } from '../../src/platform/memory/memory-key-value.ts'
import { decided, fixture } from './flags-fixture.ts'

describe('$feature_flag_called', () => {
  it('goes out once per flag and value, across reloads and pages', async () => {
    const storage = memoryKeyValue()
    const page = fixture({}, { storage })
    page.answer = (index) => decided({ a: index < 2 ? 'x' : 'y' }, { featureFlagPayloads: { a: '{"n":1}' } })
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
    const nextPage = fixture({}, { storage })
    nextPage.flags.verbs.getFeatureFlag('a')
    expect(nextPage.events).toHaveLength(0)
  })

  it('stays silent for payloads, bulk reads, send: false, and before any flag is known', async () => {
    const page = fixture()
    page.flags.verbs.getFeatureFlag('a')
    page.answer = () => decided({ a: true })
    await page.flags.verbs.reloadFeatureFlags()
    page.flags.verbs.getFeatureFlagPayload('a')
    page.flags.verbs.getFeatureFlags()
    page.flags.verbs.getFeatureFlagsAndPayloads()
    page.flags.verbs.getFeatureFlag('a', { send: false })
    expect(page.events).toHaveLength(0)
  })

  it('names a missing flag once, with the errors of the last load', async () => {
    const page = fixture()
    page.answer = () => decided({ a: true }, { errorsWhileComputingFlags: true })
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

  it('goes out anew for another identity, not for another group of the same person', async () => {
    const page = fixture()
    page.answer = () => decided({ a: true })
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

  it('is neither sent nor marked while opted out or when the event was dropped', async () => {
    const page = fixture()
    page.answer = () => decided({ a: true })
    await page.flags.verbs.reloadFeatureFlags()
    page.optedOut = true
    page.flags.verbs.getFeatureFlag('a')
    page.optedOut = false
    page.accepts = false
    page.flags.verbs.getFeatureFlag('a')
    expect(page.events).toHaveLength(0)
    page.accepts = true
    page.flags.verbs.getFeatureFlag('a')
    expect(page.events).toHaveLength(1)
  })

  it('says which version of which flag answered, and why', async () => {
    const page = fixture()
    const flag = (reason: object, id: number) => ({
      enabled: true,
      variant: 'x',
      reason,
      metadata: { id, version: 3, payload: null },
    })
    page.answer = () => [
      200,
      {
        flags: { a: flag({ code: 'match', description: 'Matched condition 1' }, 7), b: flag({ code: 'match' }, 8) },
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

  it('forgets the oldest read, one at a time, above a thousand', async () => {
    const page = fixture()
    page.answer = () => decided({ first: true, second: true })
    await page.flags.verbs.reloadFeatureFlags()
    const { getFeatureFlag } = page.flags.verbs
    const reports = (key: string): number => {
      const { length } = page.events
      getFeatureFlag(key)
      return page.events.length - length
    }
    for (const key of ['first', 'second']) expect(reports(key)).toBe(1)
    for (let read = 2; read < 1_001; read++) expect(reports(`flag ${read}`)).toBe(1)
    expect(reports('second')).toBe(0)
    expect(reports('first')).toBe(1)
    expect(reports('second')).toBe(1)
  })

  it('is forgotten by reset and by the end', async () => {
    const page = fixture()
    page.answer = () => decided({ a: true })
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

  describe('with few properties', () => {
    const minimalOf = async (body: object) => {
      const page = fixture()
      page.answer = () => [200, body]
      await page.flags.verbs.reloadFeatureFlags()
      page.flags.verbs.getFeatureFlag('a')
      return page.events[0]?.only
    }
    const of = (has_experiment?: unknown) => ({ a: { enabled: true, metadata: { id: 1, has_experiment } } })

    it.each(['minimalFlagCalledEvents', 'minimal_flag_called_events'])(
      'goes out when the service says %s and the flag has no experiment',
      async (word) => {
        expect(await minimalOf({ flags: of(false), [word]: true })).toBeInstanceOf(RegExp)
      },
    )

    it.each([
      [false, { flags: of(false) }],
      [false, { flags: of(false), minimalFlagCalledEvents: 'yes' }],
      [true, { flags: of(true), minimalFlagCalledEvents: true }],
      [undefined, { flags: of(), minimalFlagCalledEvents: true }],
      [undefined, { featureFlags: { a: true }, minimalFlagCalledEvents: true }],
    ])('does not with has_experiment %s and %j', async (_hasExperiment, body) => {
      expect(await minimalOf(body)).toBeUndefined()
    })

    it('goes out on later pages too, until an answer says otherwise', async () => {
      const storage = memoryKeyValue()
      const page = fixture({}, { storage })
      page.answer = () => [200, { flags: of(false), minimalFlagCalledEvents: true }]
      await page.flags.verbs.reloadFeatureFlags()
      await page.clock.advance(0)
      const next = fixture({}, { storage })
      next.flags.verbs.getFeatureFlag('a')
      expect(next.events[0]!.only).toBeInstanceOf(RegExp)
      next.answer = () => [200, { flags: { ...of(false), b: of(false).a } }]
      await next.flags.verbs.reloadFeatureFlags()
      next.flags.verbs.getFeatureFlag('b')
      expect(next.events[1]!.only).toBeUndefined()
    })

    it('keeps facts about the flag, ids, session, campaign and library', async () => {
      const only = (await minimalOf({ flags: of(false), minimalFlagCalledEvents: true }))!
      const kept = [
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
      const cut = [
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
      expect([...kept, ...cut].filter((name) => only.test(name))).toEqual(kept)
    })
  })
})
