import { describe, expect, it, vi } from 'vitest'
import { createLocalFlags } from '../../src/flags/create-local-flags.ts'
import { createMemoryKeyValue } from '../../src/platform/memory/memory-key-value.ts'
import type { FlagDefinitions } from '../../src/wire/definition.ts'
import type { ScriptedResponse } from '../support/recording-send.ts'
import { createDecideResponse, createFixture } from './flags-fixture.ts'
import { getRequestedKeys, byProperty, flag, createDeferredResponse, createLocalPage } from './local-page.ts'

const LOCAL_ONLY: FlagDefinitions = { flags: [flag('on'), flag('off', { groups: [] })] }
const MIXED: FlagDefinitions = { flags: [flag('on'), byProperty('pro', 'plan', 'pro'), byProperty('de', 'land', 'de')] }

describe('flags with definitions from the page', () => {
  it('have values at the first read, before start and without requests', async () => {
    const page = createLocalPage({ definitions: LOCAL_ONLY })
    expect(page.flags.verbs.getFeatureFlags()).toEqual({ on: true, off: false })
    expect(page.flags.eventProperties()).toEqual({
      '$feature/on': true,
      '$feature/off': false,
      $active_feature_flags: ['on'],
    })
    const stop = page.flags.start()
    await page.clock.advance(900_000)
    await page.flags.verbs.reloadFeatureFlags()
    page.flags.wake()
    await page.clock.advance(0)
    expect(page.requests).toEqual([])
    expect(page.warnings).toEqual([])
    stop()
  })

  it('request only unresolved keys and override the response', async () => {
    const page = createLocalPage(
      { definitions: MIXED },
      { service: createDecideResponse({ on: false, pro: 'x', de: true }) },
    )
    page.flags.verbs.setPersonPropertiesForFlags({ plan: 'free' }, false)
    expect(page.flags.verbs.getFeatureFlags()).toEqual({ on: true, pro: false })
    await page.flags.verbs.reloadFeatureFlags()
    expect(getRequestedKeys(page)).toEqual([['de']])
    expect(page.flags.verbs.getFeatureFlags()).toEqual({ on: true, pro: false, de: true })
  })

  it('are re-evaluated at once when properties, groups or the identity change', async () => {
    const page = createLocalPage({
      definitions: {
        group_type_mapping: { 0: 'company' },
        flags: [
          byProperty('pro', 'plan', 'pro'),
          byProperty('me', 'distinct_id', 'u'),
          flag('big', { aggregation_group_type_index: 0, groups: [{ properties: [{ key: 'seats', value: '9' }] }] }),
        ],
      },
    })
    const { verbs } = page.flags
    // A group flag is off, not unknown, for a person without groups.
    expect(verbs.getFeatureFlags()).toEqual({ me: true, big: false })
    verbs.setPersonPropertiesForFlags({ plan: 'pro' }, false)
    expect(verbs.getFeatureFlags()).toEqual({ me: true, pro: true, big: false })
    expect(page.flags.eventProperties()).toMatchObject({ '$feature/pro': true })
    page.identity = { distinct_id: 'u', groups: { company: 'acme' } }
    page.flags.identityChanged()
    verbs.setGroupPropertiesForFlags({ company: { seats: '9' } }, false)
    expect(verbs.getFeatureFlags()).toEqual({ me: true, pro: true, big: true })
    page.identity = { distinct_id: 'v', $anon_distinct_id: 'u', groups: { company: 'acme' } }
    page.flags.identityChanged()
    expect(verbs.getFeatureFlags()).toEqual({ me: false, pro: true, big: true })
    page.identity = { distinct_id: 'w', groups: {} }
    page.flags.reset()
    expect(verbs.getFeatureFlags()).toEqual({ me: false, big: false })
    await page.clock.advance(0)
  })

  it('are bucketed by the device when the definition says so', () => {
    const halfRollout = { ...flag('half', { groups: [{ rollout_percentage: 50 }] }), bucketing_identifier: 'device_id' }
    const values = ['a', 'b', 'c', 'd', 'e', 'f'].map((id) => {
      const local = createLocalFlags({ definitions: { flags: [halfRollout] } })
      const page = createFixture({}, { local, identity: { distinct_id: id, $device_id: 'one', groups: {} } })
      return page.flags.verbs.getFeatureFlag('half')
    })
    expect(new Set(values).size).toBe(1)
    expect(values[0]).toBeTypeOf('boolean')
  })

  it('override stored and bootstrapped values of the same flags', async () => {
    const storage = createMemoryKeyValue()
    const earlierPage = createFixture({}, { storage })
    earlierPage.respond = () => createDecideResponse({ on: false, pro: true, de: true })
    await earlierPage.flags.verbs.reloadFeatureFlags()
    await earlierPage.clock.advance(0)
    const page = createLocalPage(
      { definitions: MIXED },
      {},
      { bootstrap: { featureFlags: { on: 'x', pro: 'y' } } },
      storage,
    )
    expect(page.flags.verbs.getFeatureFlags()).toEqual({ on: true, pro: 'y', de: true })
  })

  it('are never stored as flags of the service', async () => {
    const storage = createMemoryKeyValue()
    const page = createLocalPage({ definitions: LOCAL_ONLY }, {}, {}, storage)
    await page.flags.verbs.reloadFeatureFlags()
    await page.clock.advance(0)
    const nextPage = createFixture({}, { storage })
    nextPage.respond = () => createDecideResponse({ app: true })
    expect(nextPage.flags.verbs.getFeatureFlags()).toEqual({})
    nextPage.flags.verbs.getFeatureFlag('app')
    await nextPage.flags.verbs.reloadFeatureFlags()
    nextPage.flags.verbs.getFeatureFlag('app')
    expect(nextPage.events.map(({ properties }) => properties['$feature_flag_response'])).toEqual([true])
  })

  it('keep stored flags of the service except for the requested keys', async () => {
    const storage = createMemoryKeyValue()
    const plainPage = createFixture({}, { storage })
    plainPage.respond = () => createDecideResponse({ app: true, pro: 'old', de: true })
    await plainPage.flags.verbs.reloadFeatureFlags()
    await plainPage.clock.advance(0)
    const localOnlyPage = createLocalPage({ definitions: LOCAL_ONLY }, {}, {}, storage)
    await localOnlyPage.flags.verbs.reloadFeatureFlags()
    expect(localOnlyPage.flags.verbs.getFeatureFlags()).toEqual({
      app: true,
      pro: 'old',
      de: true,
      on: true,
      off: false,
    })
    await localOnlyPage.clock.advance(0)
    expect(createFixture({}, { storage }).flags.verbs.getFeatureFlags()).toEqual({ app: true, pro: 'old', de: true })
    const mixedPage = createLocalPage(
      { definitions: MIXED },
      { service: createDecideResponse({ pro: 'new' }) },
      {},
      storage,
    )
    await mixedPage.flags.verbs.reloadFeatureFlags()
    await mixedPage.clock.advance(0)
    const lastPage = createFixture({}, { storage })
    expect(lastPage.flags.verbs.getFeatureFlags()).toEqual({ app: true, pro: 'new' })
    // The service has returned all flags once, so a flag that was not among them is missing.
    lastPage.flags.verbs.getFeatureFlag('typo')
    expect(lastPage.events).toMatchObject([{ properties: { $feature_flag_error: 'flag_missing' } }])
  })

  it('are not reported as missing on a later page before a request for them', async () => {
    const storage = createMemoryKeyValue()
    const page = createLocalPage({ definitions: MIXED }, { service: createDecideResponse({ de: true }) }, {}, storage)
    // Also after several requests.
    await page.flags.verbs.reloadFeatureFlags()
    await page.flags.verbs.reloadFeatureFlags()
    await page.clock.advance(0)
    const plainPage = createFixture({}, { storage })
    plainPage.respond = () => createDecideResponse({ de: true })
    expect(plainPage.flags.verbs.getFeatureFlags()).toEqual({ de: true })
    plainPage.flags.verbs.getFeatureFlag('app')
    expect(plainPage.events).toEqual([])
    await plainPage.flags.verbs.reloadFeatureFlags()
    plainPage.flags.verbs.getFeatureFlag('app')
    expect(plainPage.events).toMatchObject([
      { properties: { $feature_flag: 'app', $feature_flag_error: 'flag_missing' } },
    ])
  })

  it('keep bootstrapped flags without definitions and send no request for them', async () => {
    const page = createLocalPage({ definitions: LOCAL_ONLY }, {}, { bootstrap: { featureFlags: { secret: 'x' } } })
    const received: unknown[] = []
    page.flags.verbs.onFeatureFlags((values) => received.push(values))
    const stop = page.flags.start()
    await page.clock.advance(0)
    const expectedFlags = { secret: 'x', on: true, off: false }
    expect(received).toEqual([expectedFlags, expectedFlags])
    page.flags.verbs.getFeatureFlag('secret')
    expect(page.events).toMatchObject([{ properties: { $feature_flag_response: 'x' } }])
    expect(page.events[0]!.properties).not.toHaveProperty('$feature_flag_error')
    expect(page.requests).toEqual([])
    stop()
  })

  it('when partial, are completed but not overridden by the service', async () => {
    const responses = { service: createDecideResponse({ on: false, secret: 'x' }) }
    const page = createLocalPage({ definitions: LOCAL_ONLY, partialDefinitions: true }, responses)
    page.flags.verbs.getFeatureFlag('typo')
    expect(page.events).toEqual([])
    await page.flags.verbs.reloadFeatureFlags()
    expect(getRequestedKeys(page)).toEqual([undefined])
    expect(page.flags.verbs.getFeatureFlags()).toEqual({ on: true, off: false, secret: 'x' })
    page.flags.verbs.getFeatureFlag('typo')
    expect(page.events).toMatchObject([{ properties: { $feature_flag: 'typo', $feature_flag_error: 'flag_missing' } }])
    responses.service = createDecideResponse({})
    await page.flags.verbs.reloadFeatureFlags()
    expect(page.flags.verbs.getFeatureFlags()).toEqual({ on: true, off: false })
  })

  it('are passed to listeners at once, and returned with their payloads', async () => {
    const filters = { groups: [{}], payloads: { true: '{"a":1}' } }
    const page = createLocalPage({ definitions: { flags: [flag('on', filters)] } })
    const received: unknown[] = []
    page.flags.verbs.onFeatureFlags((values) => received.push(values))
    expect(received).toEqual([{ on: true }])
    expect(page.flags.verbs.getFeatureFlagPayload('on')).toEqual({ a: 1 })
    expect(page.flags.verbs.getFeatureFlagResult('on')).toEqual({ key: 'on', enabled: true, payload: { a: 1 } })
    expect(page.flags.verbs.getFeatureFlagsAndPayloads()).toEqual({ flags: { on: true }, payloads: { on: { a: 1 } } })
    await page.clock.advance(0)
  })

  it('are unknown, not empty, until a flag is evaluated or received', async () => {
    const page = createLocalPage(
      { definitions: { flags: [byProperty('de', 'land', 'de')] } },
      { service: createDecideResponse({}) },
    )
    const received: unknown[] = []
    page.flags.verbs.onFeatureFlags((values) => received.push(values))
    expect(received).toEqual([])
    expect(page.flags.eventProperties()).toEqual({})
    await page.flags.verbs.reloadFeatureFlags()
    expect(received).toEqual([{}])
    expect(page.flags.eventProperties()).toEqual({ $active_feature_flags: [] })
  })

  it('measure relative dates from the last load, even a failed one', async () => {
    const filters = { groups: [{ properties: [{ key: 'joined', operator: 'is_date_after', value: '-1h' }] }] }
    const definitions = { flags: [flag('young', filters), byProperty('de', 'land', 'de')] }
    const page = createLocalPage({ definitions }, {}, { featureFlagsRequestMaxRetries: 0 })
    const joined = new Date(page.clock.now() - 1000).toISOString()
    page.flags.verbs.setPersonPropertiesForFlags({ joined }, false)
    expect(page.flags.verbs.getFeatureFlag('young')).toBe(true)
    await page.clock.advance(7_200_000)
    expect(page.flags.verbs.getFeatureFlag('young')).toBe(true)
    await page.flags.verbs.reloadFeatureFlags()
    expect(page.flags.verbs.getFeatureFlag('young')).toBe(false)
    expect(getRequestedKeys(page)).toEqual([['de']])
  })

  it('evaluate relative dates again before a request', async () => {
    const properties = [
      { key: 'joined', operator: 'is_date_after', value: '-1h' },
      { key: 'land', value: 'de' },
    ]
    const page = createLocalPage({ definitions: { flags: [flag('young', { groups: [{ properties }] })] } })
    page.flags.verbs.setPersonPropertiesForFlags(
      { joined: new Date(page.clock.now() - 7_200_000).toISOString() },
      false,
    )
    await page.flags.verbs.reloadFeatureFlags()
    expect(page.flags.verbs.getFeatureFlag('young')).toBe(false)
    expect(getRequestedKeys(page)).toEqual([])
  })

  it('are reported as loaded and not stale without any request', async () => {
    const page = createLocalPage({ definitions: LOCAL_ONLY }, {}, { flagsIntervalMs: 60_000 })
    const received: unknown[] = []
    await page.flags.verbs.reloadFeatureFlags()
    page.flags.verbs.onFeatureFlags((_values, state) => received.push(state))
    page.flags.wake()
    await page.clock.advance(0)
    expect(received).toEqual([{ errorsLoading: false, isStale: false }])
  })

  it('discard the response for an earlier user and request the new one', async () => {
    const firstResponse = createDeferredResponse()
    const responses: Parameters<typeof createLocalPage>[1] = { service: firstResponse.response }
    const definitions = { flags: [byProperty('me', 'distinct_id', 'v'), byProperty('de', 'land', 'de')] }
    const page = createLocalPage({ definitions }, responses)
    const stop = page.flags.start()
    await page.clock.advance(0)
    responses.service = createDecideResponse({ de: 'new' })
    page.identity = { distinct_id: 'v', $anon_distinct_id: 'u', groups: {} }
    page.flags.identityChanged()
    expect(page.flags.verbs.getFeatureFlags()).toEqual({ me: true })
    firstResponse.resolve(createDecideResponse({ de: 'old' }))
    await page.clock.advance(0)
    expect(page.flags.verbs.getFeatureFlags()).toEqual({ me: true, de: 'new' })
    stop()
  })

  it('keep the flags of the service when it fails or responds partially', async () => {
    const responses: { service: ScriptedResponse } = { service: createDecideResponse({ pro: true, de: true }) }
    const page = createLocalPage({ definitions: MIXED }, responses, { featureFlagsRequestMaxRetries: 0 })
    const received: unknown[] = []
    await page.flags.verbs.reloadFeatureFlags()
    page.flags.verbs.onFeatureFlags((values, { errorsLoading }) => received.push([values, errorsLoading]))
    responses.service = createDecideResponse({ pro: false }, { errorsWhileComputingFlags: true })
    await page.flags.verbs.reloadFeatureFlags()
    responses.service = 500
    await page.flags.verbs.reloadFeatureFlags()
    expect(received).toEqual([
      [{ on: true, pro: true, de: true }, false],
      [{ on: true, pro: false, de: true }, true],
      [{ on: true, pro: false, de: true }, true],
    ])
  })

  it('are evaluated once until something changes', async () => {
    const page = createLocalPage({ definitions: LOCAL_ONLY })
    const fromEntries = vi.spyOn(Object, 'fromEntries')
    // Each evaluation of the set calls it once, with details: reads call it with values.
    const countEvaluations = (): number =>
      fromEntries.mock.calls.filter(([entries]) =>
        [...(entries as Iterable<readonly [string, unknown]>)].some(([, value]) => typeof value === 'object'),
      ).length
    const properties = page.flags.eventProperties()
    page.flags.verbs.getFeatureFlag('on')
    page.flags.verbs.getFeatureFlag('off')
    expect(page.events).toHaveLength(2)
    expect(page.flags.eventProperties()).toBe(properties)
    expect(countEvaluations()).toBe(1)
    page.flags.verbs.setPersonPropertiesForFlags({ any: 1 }, false)
    page.flags.verbs.getFeatureFlags()
    expect(countEvaluations()).toBe(2)
    fromEntries.mockRestore()
    await page.clock.advance(0)
  })

  it('can be read but send no request while opted out', async () => {
    const page = createLocalPage({ definitions: MIXED, definitionsUrl: '/f' })
    page.optedOut = true
    const stop = page.flags.start()
    await page.clock.advance(0)
    expect(page.flags.verbs.getFeatureFlag('on')).toBe(true)
    expect(page.requests).toEqual([])
    expect(page.events).toEqual([])
    stop()
  })

  it('request all flags from the service, with a warning, when invalid', async () => {
    const page = createLocalPage(
      { definitions: { flags: 'none' } as never },
      { service: createDecideResponse({ on: true }) },
    )
    await page.flags.verbs.reloadFeatureFlags()
    expect(page.flags.verbs.getFeatureFlags()).toEqual({ on: true })
    expect(getRequestedKeys(page)).toEqual([undefined])
    expect(page.warnings).toEqual([['bootstrap.definitions ignored: they have no "flags" array']])
  })
})

describe('$feature_flag_called of flags evaluated on the page', () => {
  it('contains properties of the definition and none of the last request', async () => {
    const definitions = { flags: [{ ...flag('on'), version: 4 }, byProperty('de', 'land', 'de')] }
    const page = createLocalPage(
      { definitions },
      { service: createDecideResponse({ de: true }, { errorsWhileComputingFlags: true }) },
      { bootstrap: { featureFlags: { on: false } } },
    )
    await page.flags.verbs.reloadFeatureFlags()
    page.flags.verbs.getFeatureFlag('on')
    page.flags.verbs.getFeatureFlag('on')
    page.flags.verbs.getFeatureFlag('de')
    expect(page.events.map(({ properties }) => properties)).toEqual([
      {
        $feature_flag: 'on',
        $feature_flag_response: true,
        $feature_flag_id: 1,
        $feature_flag_version: 4,
        $feature_flag_reason: 'condition_match',
        $feature_flag_bootstrapped_response: false,
        locally_evaluated: true,
      },
      {
        $feature_flag: 'de',
        $feature_flag_response: true,
        $feature_flag_request_id: 'r1',
        $feature_flag_error: 'errors_while_computing_flags',
      },
    ])
  })

  it('does not report an unresolved flag as missing before a request for it', async () => {
    const page = createLocalPage({ definitions: MIXED }, { service: createDecideResponse({ pro: true }) })
    page.flags.verbs.getFeatureFlag('pro')
    page.flags.verbs.getFeatureFlag('on')
    expect(page.events.map(({ properties }) => properties['$feature_flag'])).toEqual(['on'])
    await page.flags.verbs.reloadFeatureFlags()
    page.flags.verbs.getFeatureFlag('pro')
    page.flags.verbs.getFeatureFlag('de')
    expect(page.events.slice(1).map(({ properties }) => properties)).toMatchObject([
      { $feature_flag: 'pro', $feature_flag_response: true },
      { $feature_flag: 'de', $feature_flag_error: 'flag_missing' },
    ])
  })

  it('does not report a flag as missing before the response for it', async () => {
    const responses = { service: createDeferredResponse().response as Promise<ScriptedResponse> | ScriptedResponse }
    const page = createLocalPage({ definitions: { flags: [byProperty('de', 'land', 'de')] } }, responses)
    page.flags.verbs.setPersonPropertiesForFlags({ land: 'fr' }, false)
    page.flags.start()
    await page.clock.advance(0)
    page.flags.verbs.resetPersonPropertiesForFlags(false)
    page.flags.verbs.getFeatureFlag('de')
    expect(page.events).toEqual([])
    responses.service = createDecideResponse({})
    await page.flags.verbs.reloadFeatureFlags()
    page.flags.verbs.getFeatureFlag('de')
    expect(page.events).toMatchObject([{ properties: { $feature_flag: 'de', $feature_flag_error: 'flag_missing' } }])
    page.identity = { distinct_id: 'w', groups: {} }
    page.flags.reset()
    page.flags.verbs.getFeatureFlag('de')
    expect(page.events).toHaveLength(1)
    await page.clock.advance(0)
  })

  it('reports a flag without a definition as missing, without a request', async () => {
    const page = createLocalPage({ definitions: LOCAL_ONLY }, {}, { preloadFeatureFlags: false })
    page.flags.verbs.getFeatureFlag('typo')
    page.flags.verbs.getFeatureFlag('typo')
    expect(page.events.map(({ properties }) => properties)).toEqual([
      { $feature_flag: 'typo', $feature_flag_error: 'flag_missing' },
    ])
    await page.clock.advance(0)
  })

  it('is minimal if the definitions say so, whatever the service says', async () => {
    const definitions = {
      minimal_flag_called_events: true,
      flags: [{ ...flag('early'), has_experiment: false }, { ...flag('plain'), has_experiment: false }, flag('tried')],
    }
    const flags = [...definitions.flags, byProperty('de', 'land', 'de')]
    const responses = { service: createDecideResponse({}, { minimalFlagCalledEvents: false }) }
    const page = createLocalPage({ definitions: { ...definitions, flags } }, responses)
    page.flags.verbs.getFeatureFlag('early')
    await page.flags.verbs.reloadFeatureFlags()
    page.flags.verbs.getFeatureFlag('plain')
    page.flags.verbs.getFeatureFlag('tried')
    expect(page.events.map(({ allowedNames }) => allowedNames?.test('locally_evaluated'))).toEqual([
      true,
      true,
      undefined,
    ])
    const otherPage = createLocalPage(
      { definitions: { flags } },
      { service: createDecideResponse({}, { minimalFlagCalledEvents: true }) },
    )
    await otherPage.flags.verbs.reloadFeatureFlags()
    otherPage.flags.verbs.getFeatureFlag('plain')
    expect(otherPage.events.map(({ allowedNames }) => allowedNames)).toEqual([undefined])
  })
})
