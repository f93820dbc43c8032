import { describe, expect, it, vi } from 'vitest'
import { createLocalFlags } from '../../src/flags/create-local-flags.ts'
import { memoryKeyValue } from '../../src/platform/memory/memory-key-value.ts'
import type { FlagDefinitions } from '../../src/wire/definition.ts'
import type { Scripted } from '../support/recording-send.ts'
import { decided, fixture } from './flags-fixture.ts'
import { askedFor, byProperty, flag, later, localPage } from './local-page.ts'

const EASY: FlagDefinitions = { flags: [flag('on'), flag('off', { groups: [] })] }
const MIXED: FlagDefinitions = { flags: [flag('on'), byProperty('pro', 'plan', 'pro'), byProperty('de', 'land', 'de')] }

describe('flags with definitions from the page', () => {
  it('have their values at the first read, before the agent has started, and need no request at all', async () => {
    const own = localPage({ definitions: EASY })
    expect(own.flags.verbs.getFeatureFlags()).toEqual({ on: true, off: false })
    expect(own.flags.eventProperties()).toEqual({
      '$feature/on': true,
      '$feature/off': false,
      $active_feature_flags: ['on'],
    })
    const stop = own.flags.start()
    await own.clock.advance(900_000)
    await own.flags.verbs.reloadFeatureFlags()
    own.flags.wake()
    await own.clock.advance(0)
    expect(own.requests).toEqual([])
    expect(own.warnings).toEqual([])
    stop()
  })

  it('ask the service for the keys of the others alone, and keep their own values whatever it answers', async () => {
    const own = localPage({ definitions: MIXED }, { service: decided({ on: false, pro: 'x', de: true }) })
    own.flags.verbs.setPersonPropertiesForFlags({ plan: 'free' }, false)
    expect(own.flags.verbs.getFeatureFlags()).toEqual({ on: true, pro: false })
    await own.flags.verbs.reloadFeatureFlags()
    expect(askedFor(own)).toEqual([['de']])
    expect(own.flags.verbs.getFeatureFlags()).toEqual({ on: true, pro: false, de: true })
  })

  it('are computed again at once with each property, group, identity and reset', async () => {
    const own = localPage({
      definitions: {
        group_type_mapping: { 0: 'company' },
        flags: [
          byProperty('pro', 'plan', 'pro'),
          byProperty('me', 'distinct_id', 'u'),
          flag('big', { aggregation_group_type_index: 0, groups: [{ properties: [{ key: 'seats', value: '9' }] }] }),
        ],
      },
    })
    const { verbs } = own.flags
    // A flag for groups is off, not unknown, for somebody in none.
    expect(verbs.getFeatureFlags()).toEqual({ me: true, big: false })
    verbs.setPersonPropertiesForFlags({ plan: 'pro' }, false)
    expect(verbs.getFeatureFlags()).toEqual({ me: true, pro: true, big: false })
    expect(own.flags.eventProperties()).toMatchObject({ '$feature/pro': true })
    own.identity = { distinct_id: 'u', groups: { company: 'acme' } }
    own.flags.identityChanged()
    verbs.setGroupPropertiesForFlags({ company: { seats: '9' } }, false)
    expect(verbs.getFeatureFlags()).toEqual({ me: true, pro: true, big: true })
    own.identity = { distinct_id: 'v', $anon_distinct_id: 'u', groups: { company: 'acme' } }
    own.flags.identityChanged()
    expect(verbs.getFeatureFlags()).toEqual({ me: false, pro: true, big: true })
    own.identity = { distinct_id: 'w', groups: {} }
    own.flags.reset()
    expect(verbs.getFeatureFlags()).toEqual({ me: false, big: false })
    await own.clock.advance(0)
  })

  it('are bucketed by the device where the definition says so', () => {
    const half = { ...flag('half', { groups: [{ rollout_percentage: 50 }] }), bucketing_identifier: 'device_id' }
    const values = ['a', 'b', 'c', 'd', 'e', 'f'].map((id) => {
      const local = createLocalFlags({ definitions: { flags: [half] } })
      const own = fixture({}, { local, identity: { distinct_id: id, $device_id: 'one', groups: {} } })
      return own.flags.verbs.getFeatureFlag('half')
    })
    expect(new Set(values).size).toBe(1)
    expect(values[0]).toBeTypeOf('boolean')
  })

  it('win over what an earlier page stored and over bootstrapped values; the others are taken from there', async () => {
    const storage = memoryKeyValue()
    const earlier = fixture({}, { storage })
    earlier.answer = () => decided({ on: false, pro: true, de: true })
    await earlier.flags.verbs.reloadFeatureFlags()
    await earlier.clock.advance(0)
    const own = localPage({ definitions: MIXED }, {}, { bootstrap: { featureFlags: { on: 'x', pro: 'y' } } }, storage)
    expect(own.flags.verbs.getFeatureFlags()).toEqual({ on: true, pro: 'y', de: true })
  })

  it('are never stored, so that a later page without definitions does not take them for the service’s', async () => {
    const storage = memoryKeyValue()
    const own = localPage({ definitions: EASY }, {}, {}, storage)
    await own.flags.verbs.reloadFeatureFlags()
    await own.clock.advance(0)
    const next = fixture({}, { storage })
    next.answer = () => decided({ app: true })
    expect(next.flags.verbs.getFeatureFlags()).toEqual({})
    next.flags.verbs.getFeatureFlag('app')
    await next.flags.verbs.reloadFeatureFlags()
    next.flags.verbs.getFeatureFlag('app')
    expect(next.events.map(({ properties }) => properties['$feature_flag_response'])).toEqual([true])
  })

  it('leave the flags of the service that other pages know as they are, but for those asked for', async () => {
    const storage = memoryKeyValue()
    const plain = fixture({}, { storage })
    plain.answer = () => decided({ app: true, pro: 'old', de: true })
    await plain.flags.verbs.reloadFeatureFlags()
    await plain.clock.advance(0)
    const easy = localPage({ definitions: EASY }, {}, {}, storage)
    await easy.flags.verbs.reloadFeatureFlags()
    expect(easy.flags.verbs.getFeatureFlags()).toEqual({ app: true, pro: 'old', de: true, on: true, off: false })
    await easy.clock.advance(0)
    expect(fixture({}, { storage }).flags.verbs.getFeatureFlags()).toEqual({ app: true, pro: 'old', de: true })
    const mixed = localPage({ definitions: MIXED }, { service: decided({ pro: 'new' }) }, {}, storage)
    await mixed.flags.verbs.reloadFeatureFlags()
    await mixed.clock.advance(0)
    const last = fixture({}, { storage })
    expect(last.flags.verbs.getFeatureFlags()).toEqual({ app: true, pro: 'new' })
    // The service told of all flags once: one that it did not name is missing.
    last.flags.verbs.getFeatureFlag('typo')
    expect(last.events).toMatchObject([{ properties: { $feature_flag_error: 'flag_missing' } }])
  })

  it('make no flag missing on a later page of which the service was not asked', async () => {
    const storage = memoryKeyValue()
    const own = localPage({ definitions: MIXED }, { service: decided({ de: true }) }, {}, storage)
    // Nor when it was asked more than once.
    await own.flags.verbs.reloadFeatureFlags()
    await own.flags.verbs.reloadFeatureFlags()
    await own.clock.advance(0)
    const plain = fixture({}, { storage })
    plain.answer = () => decided({ de: true })
    expect(plain.flags.verbs.getFeatureFlags()).toEqual({ de: true })
    plain.flags.verbs.getFeatureFlag('app')
    expect(plain.events).toEqual([])
    await plain.flags.verbs.reloadFeatureFlags()
    plain.flags.verbs.getFeatureFlag('app')
    expect(plain.events).toMatchObject([{ properties: { $feature_flag: 'app', $feature_flag_error: 'flag_missing' } }])
  })

  it('leave bootstrapped flags that the definitions do not name as they are, and ask nobody for them', async () => {
    const own = localPage({ definitions: EASY }, {}, { bootstrap: { featureFlags: { secret: 'x' } } })
    const heard: unknown[] = []
    own.flags.verbs.onFeatureFlags((values) => heard.push(values))
    const stop = own.flags.start()
    await own.clock.advance(0)
    const all = { secret: 'x', on: true, off: false }
    expect(heard).toEqual([all, all])
    own.flags.verbs.getFeatureFlag('secret')
    expect(own.events).toMatchObject([{ properties: { $feature_flag_response: 'x' } }])
    expect(own.events[0]!.properties).not.toHaveProperty('$feature_flag_error')
    expect(own.requests).toEqual([])
    stop()
  })

  it('are said to be partial: the service is asked for all others, and cannot overrule them', async () => {
    const answers = { service: decided({ on: false, secret: 'x' }) }
    const own = localPage({ definitions: EASY, partialDefinitions: true }, answers)
    own.flags.verbs.getFeatureFlag('typo')
    expect(own.events).toEqual([])
    await own.flags.verbs.reloadFeatureFlags()
    expect(askedFor(own)).toEqual([undefined])
    expect(own.flags.verbs.getFeatureFlags()).toEqual({ on: true, off: false, secret: 'x' })
    own.flags.verbs.getFeatureFlag('typo')
    expect(own.events).toMatchObject([{ properties: { $feature_flag: 'typo', $feature_flag_error: 'flag_missing' } }])
    answers.service = decided({})
    await own.flags.verbs.reloadFeatureFlags()
    expect(own.flags.verbs.getFeatureFlags()).toEqual({ on: true, off: false })
  })

  it('reach late listeners, payloads and results as they reach a read', async () => {
    const filters = { groups: [{}], payloads: { true: '{"a":1}' } }
    const own = localPage({ definitions: { flags: [flag('on', filters)] } })
    const heard: unknown[] = []
    own.flags.verbs.onFeatureFlags((values) => heard.push(values))
    expect(heard).toEqual([{ on: true }])
    expect(own.flags.verbs.getFeatureFlagPayload('on')).toEqual({ a: 1 })
    expect(own.flags.verbs.getFeatureFlagResult('on')).toEqual({ key: 'on', enabled: true, payload: { a: 1 } })
    expect(own.flags.verbs.getFeatureFlagsAndPayloads()).toEqual({ flags: { on: true }, payloads: { on: { a: 1 } } })
    await own.clock.advance(0)
  })

  it('are not known at all, rather than none, while no flag can be evaluated and none was told', async () => {
    const own = localPage({ definitions: { flags: [byProperty('de', 'land', 'de')] } }, { service: decided({}) })
    const heard: unknown[] = []
    own.flags.verbs.onFeatureFlags((values) => heard.push(values))
    expect(heard).toEqual([])
    expect(own.flags.eventProperties()).toEqual({})
    await own.flags.verbs.reloadFeatureFlags()
    expect(heard).toEqual([{}])
    expect(own.flags.eventProperties()).toEqual({ $active_feature_flags: [] })
  })

  it('count relative dates from the last load, also one that failed', async () => {
    const filters = { groups: [{ properties: [{ key: 'joined', operator: 'is_date_after', value: '-1h' }] }] }
    const definitions = { flags: [flag('young', filters), byProperty('de', 'land', 'de')] }
    const own = localPage({ definitions }, {}, { featureFlagsRequestMaxRetries: 0 })
    const joined = new Date(own.clock.now() - 1000).toISOString()
    own.flags.verbs.setPersonPropertiesForFlags({ joined }, false)
    expect(own.flags.verbs.getFeatureFlag('young')).toBe(true)
    await own.clock.advance(7_200_000)
    expect(own.flags.verbs.getFeatureFlag('young')).toBe(true)
    await own.flags.verbs.reloadFeatureFlags()
    expect(own.flags.verbs.getFeatureFlag('young')).toBe(false)
    expect(askedFor(own)).toEqual([['de']])
  })

  it('are asked of the service where a relative date of now leaves them open', async () => {
    const properties = [
      { key: 'joined', operator: 'is_date_after', value: '-1h' },
      { key: 'land', value: 'de' },
    ]
    const own = localPage({ definitions: { flags: [flag('young', { groups: [{ properties }] })] } })
    own.flags.verbs.setPersonPropertiesForFlags({ joined: new Date(own.clock.now() - 7_200_000).toISOString() }, false)
    await own.flags.verbs.reloadFeatureFlags()
    expect(own.flags.verbs.getFeatureFlag('young')).toBe(false)
    expect(askedFor(own)).toEqual([])
  })

  it('are loaded, and not stale, when nobody was asked', async () => {
    const own = localPage({ definitions: EASY }, {}, { flagsIntervalMs: 60_000 })
    const heard: unknown[] = []
    await own.flags.verbs.reloadFeatureFlags()
    own.flags.verbs.onFeatureFlags((_values, state) => heard.push(state))
    own.flags.wake()
    await own.clock.advance(0)
    expect(heard).toEqual([{ errorsLoading: false, isStale: false }])
  })

  it('throw away the answer about an earlier user, and ask for the new one', async () => {
    const first = later()
    const answers: Parameters<typeof localPage>[1] = { service: first.answer }
    const definitions = { flags: [byProperty('me', 'distinct_id', 'v'), byProperty('de', 'land', 'de')] }
    const own = localPage({ definitions }, answers)
    const stop = own.flags.start()
    await own.clock.advance(0)
    answers.service = decided({ de: 'new' })
    own.identity = { distinct_id: 'v', $anon_distinct_id: 'u', groups: {} }
    own.flags.identityChanged()
    expect(own.flags.verbs.getFeatureFlags()).toEqual({ me: true })
    first.give(decided({ de: 'old' }))
    await own.clock.advance(0)
    expect(own.flags.verbs.getFeatureFlags()).toEqual({ me: true, de: 'new' })
    stop()
  })

  it('keep what is known of the others when the service fails or answers in part', async () => {
    const answers: { service: Scripted } = { service: decided({ pro: true, de: true }) }
    const own = localPage({ definitions: MIXED }, answers, { featureFlagsRequestMaxRetries: 0 })
    const heard: unknown[] = []
    await own.flags.verbs.reloadFeatureFlags()
    own.flags.verbs.onFeatureFlags((values, { errorsLoading }) => heard.push([values, errorsLoading]))
    answers.service = decided({ pro: false }, { errorsWhileComputingFlags: true })
    await own.flags.verbs.reloadFeatureFlags()
    answers.service = 500
    await own.flags.verbs.reloadFeatureFlags()
    expect(heard).toEqual([
      [{ on: true, pro: true, de: true }, false],
      [{ on: true, pro: false, de: true }, true],
      [{ on: true, pro: false, de: true }, true],
    ])
  })

  it('are evaluated once until something changes, however much is read and reported', async () => {
    const own = localPage({ definitions: EASY })
    const fromEntries = vi.spyOn(Object, 'fromEntries')
    const properties = own.flags.eventProperties()
    own.flags.verbs.getFeatureFlag('on')
    own.flags.verbs.getFeatureFlag('off')
    expect(own.events).toHaveLength(2)
    expect(own.flags.eventProperties()).toBe(properties)
    // Each evaluation of the set makes one.
    expect(fromEntries).toHaveBeenCalledTimes(1)
    own.flags.verbs.setPersonPropertiesForFlags({ any: 1 }, false)
    own.flags.verbs.getFeatureFlags()
    expect(fromEntries).toHaveBeenCalledTimes(2)
    fromEntries.mockRestore()
    await own.clock.advance(0)
  })

  it('can be read but ask for nothing while opted out', async () => {
    const own = localPage({ definitions: MIXED, definitionsUrl: '/f' })
    own.optedOut = true
    const stop = own.flags.start()
    await own.clock.advance(0)
    expect(own.flags.verbs.getFeatureFlag('on')).toBe(true)
    expect(own.requests).toEqual([])
    expect(own.events).toEqual([])
    stop()
  })

  it('that are no definitions leave every flag to the service, with a warning', async () => {
    const own = localPage({ definitions: { flags: 'none' } as never }, { service: decided({ on: true }) })
    await own.flags.verbs.reloadFeatureFlags()
    expect(own.flags.verbs.getFeatureFlags()).toEqual({ on: true })
    expect(askedFor(own)).toEqual([undefined])
    expect(own.warnings).toEqual([['bootstrap.definitions ignored: no flag definitions']])
  })
})

describe('$feature_flag_called of flags evaluated on the page', () => {
  it('says so, with what the definition tells, and nothing of the last request', async () => {
    const definitions = { flags: [{ ...flag('on'), version: 4 }, byProperty('de', 'land', 'de')] }
    const own = localPage(
      { definitions },
      { service: decided({ de: true }, { errorsWhileComputingFlags: true }) },
      { bootstrap: { featureFlags: { on: false } } },
    )
    await own.flags.verbs.reloadFeatureFlags()
    own.flags.verbs.getFeatureFlag('on')
    own.flags.verbs.getFeatureFlag('on')
    own.flags.verbs.getFeatureFlag('de')
    expect(own.events.map(({ properties }) => properties)).toEqual([
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

  it('calls no flag missing that the service was not asked for yet', async () => {
    const own = localPage({ definitions: MIXED }, { service: decided({ pro: true }) })
    own.flags.verbs.getFeatureFlag('pro')
    own.flags.verbs.getFeatureFlag('on')
    expect(own.events.map(({ properties }) => properties['$feature_flag'])).toEqual(['on'])
    await own.flags.verbs.reloadFeatureFlags()
    own.flags.verbs.getFeatureFlag('pro')
    own.flags.verbs.getFeatureFlag('de')
    expect(own.events.slice(1).map(({ properties }) => properties)).toMatchObject([
      { $feature_flag: 'pro', $feature_flag_response: true },
      { $feature_flag: 'de', $feature_flag_error: 'flag_missing' },
    ])
  })

  it('calls no flag missing that newer definitions or a forgotten property leave open until the service has answered', async () => {
    const answers = { service: later().answer as Promise<Scripted> | Scripted }
    const own = localPage({ definitions: { flags: [byProperty('de', 'land', 'de')] } }, answers)
    own.flags.verbs.setPersonPropertiesForFlags({ land: 'fr' }, false)
    own.flags.start()
    await own.clock.advance(0)
    own.flags.verbs.resetPersonPropertiesForFlags(false)
    own.flags.verbs.getFeatureFlag('de')
    expect(own.events).toEqual([])
    answers.service = decided({})
    await own.flags.verbs.reloadFeatureFlags()
    own.flags.verbs.getFeatureFlag('de')
    expect(own.events).toMatchObject([{ properties: { $feature_flag: 'de', $feature_flag_error: 'flag_missing' } }])
    own.identity = { distinct_id: 'w', groups: {} }
    own.flags.reset()
    own.flags.verbs.getFeatureFlag('de')
    expect(own.events).toHaveLength(1)
    await own.clock.advance(0)
  })

  it('calls a flag missing, once, that the definitions do not name, and nobody needs to be asked for that', async () => {
    const own = localPage({ definitions: EASY }, {}, { preloadFeatureFlags: false })
    own.flags.verbs.getFeatureFlag('typo')
    own.flags.verbs.getFeatureFlag('typo')
    expect(own.events.map(({ properties }) => properties)).toEqual([
      { $feature_flag: 'typo', $feature_flag_error: 'flag_missing' },
    ])
    await own.clock.advance(0)
  })

  it('keeps few properties where the definitions say so and the flag has no experiment, whatever the service says', async () => {
    const definitions = {
      minimal_flag_called_events: true,
      flags: [{ ...flag('early'), has_experiment: false }, { ...flag('plain'), has_experiment: false }, flag('tried')],
    }
    const flags = [...definitions.flags, byProperty('de', 'land', 'de')]
    const told = { service: decided({}, { minimalFlagCalledEvents: false }) }
    const own = localPage({ definitions: { ...definitions, flags } }, told)
    own.flags.verbs.getFeatureFlag('early')
    await own.flags.verbs.reloadFeatureFlags()
    own.flags.verbs.getFeatureFlag('plain')
    own.flags.verbs.getFeatureFlag('tried')
    expect(own.events.map(({ only }) => only?.test('locally_evaluated'))).toEqual([true, true, undefined])
    const other = localPage({ definitions: { flags } }, { service: decided({}, { minimalFlagCalledEvents: true }) })
    await other.flags.verbs.reloadFeatureFlags()
    other.flags.verbs.getFeatureFlag('plain')
    expect(other.events.map(({ only }) => only)).toEqual([undefined])
  })
})
