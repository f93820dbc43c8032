import { describe, expect, it, vi } from 'vitest'
import { createLocalFlags } from '../../src/flags/create-local-flags.ts'
import type { DefinitionsOptions } from '../../src/flags/definitions.ts'
import type { FlagsOptions } from '../../src/flags/flags-options.ts'
import { memoryKeyValue } from '../../src/platform/memory/memory-key-value.ts'
import type { KeyValue } from '../../src/port/key-value.ts'
import type { FlagDefinition, FlagDefinitions } from '../../src/wire/definition.ts'
import type { Scripted } from '../support/recording-send.ts'
import { decided, fixture, type Fixture } from './flags-fixture.ts'

const flag = (key: string, filters: FlagDefinition['filters'] = { groups: [{}] }): FlagDefinition => ({
  id: 1,
  key,
  active: true,
  filters,
})
const byProperty = (key: string, property: string, value: string): FlagDefinition =>
  flag(key, { groups: [{ properties: [{ key: property, value }] }] })

const EASY: FlagDefinitions = { flags: [flag('on'), flag('off', { groups: [] })] }
const MIXED: FlagDefinitions = { flags: [flag('on'), byProperty('pro', 'plan', 'pro'), byProperty('de', 'land', 'de')] }

/** A page that evaluates by itself; the site's file is `answers.file`, what the service says `answers.service`. */
const page = (
  given: DefinitionsOptions,
  answers: { file?: Scripted; service?: Scripted } = {},
  options: Partial<FlagsOptions> = {},
  storage: KeyValue = memoryKeyValue(),
): Fixture => {
  const own = fixture(options, { storage, local: createLocalFlags(given) })
  own.answer = (index) => (own.requests[index]!.url === given.definitionsUrl ? answers.file : answers.service) ?? 500
  return own
}
/** The keys that each request to the service was about. */
const askedFor = ({ requests }: Fixture): unknown[] =>
  requests
    .filter(({ url }) => url.includes('/decide/'))
    .map(({ body }) => (JSON.parse(body as string) as Record<string, unknown>)['flag_keys_to_evaluate'])

describe('flags with definitions from the page', () => {
  it('have their values at the first read, before the agent has started, and need no request at all', async () => {
    const own = page({ definitions: EASY })
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
    const own = page({ definitions: MIXED }, { service: decided({ on: false, pro: 'x', de: true }) })
    own.flags.verbs.setPersonPropertiesForFlags({ plan: 'free' }, false)
    expect(own.flags.verbs.getFeatureFlags()).toEqual({ on: true, pro: false })
    await own.flags.verbs.reloadFeatureFlags()
    expect(askedFor(own)).toEqual([['de']])
    expect(own.flags.verbs.getFeatureFlags()).toEqual({ on: true, pro: false, de: true })
  })

  it('are computed again at once with each property, group, identity and reset', async () => {
    const own = page({
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
    const own = page({ definitions: MIXED }, {}, { bootstrap: { featureFlags: { on: 'x', pro: 'y' } } }, storage)
    expect(own.flags.verbs.getFeatureFlags()).toEqual({ on: true, pro: 'y', de: true })
  })

  it('are never stored, so that a later page without definitions does not take them for the service’s', async () => {
    const storage = memoryKeyValue()
    const own = page({ definitions: EASY }, {}, {}, storage)
    await own.flags.verbs.reloadFeatureFlags()
    await own.clock.advance(0)
    expect(fixture({}, { storage }).flags.verbs.getFeatureFlags()).toEqual({})
  })

  it('keep what is known of the others when the service fails or answers in part', async () => {
    const answers: { service: Scripted } = { service: decided({ pro: true, de: true }) }
    const own = page({ definitions: MIXED }, answers, { featureFlagsRequestMaxRetries: 0 })
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

  it('are evaluated once until something changes', async () => {
    const own = page({ definitions: EASY })
    const read = vi.spyOn(own.clock, 'now')
    own.flags.verbs.getFeatureFlag('on')
    own.flags.verbs.getFeatureFlag('off')
    own.flags.eventProperties()
    own.flags.verbs.getFeatureFlags()
    // The time is asked for by each evaluation.
    expect(read).toHaveBeenCalledTimes(1)
    own.flags.verbs.setPersonPropertiesForFlags({ any: 1 }, false)
    own.flags.verbs.getFeatureFlags()
    expect(read).toHaveBeenCalledTimes(2)
    await own.clock.advance(0)
  })

  it('can be read but ask for nothing while opted out', async () => {
    const own = page({ definitions: MIXED, definitionsUrl: '/f' })
    own.optedOut = true
    const stop = own.flags.start()
    await own.clock.advance(0)
    expect(own.flags.verbs.getFeatureFlag('on')).toBe(true)
    expect(own.requests).toEqual([])
    expect(own.events).toEqual([])
    stop()
  })

  it('that are no definitions leave every flag to the service, with a warning', async () => {
    const own = page({ definitions: { flags: 'none' } as never }, { service: decided({ on: true }) })
    await own.flags.verbs.reloadFeatureFlags()
    expect(own.flags.verbs.getFeatureFlags()).toEqual({ on: true })
    expect(askedFor(own)).toEqual([undefined])
    expect(own.warnings).toEqual([['bootstrap.definitions ignored: no flag definitions']])
  })
})

describe('$feature_flag_called of flags evaluated on the page', () => {
  it('says so, with what the definition tells, and nothing of the last request', async () => {
    const definitions = { flags: [{ ...flag('on'), version: 4 }, byProperty('de', 'land', 'de')] }
    const own = page(
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
    const own = page({ definitions: MIXED }, { service: decided({ pro: true }) })
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

  it('keeps few properties where the definitions say so and the flag has no experiment', async () => {
    const definitions = {
      minimal_flag_called_events: true,
      flags: [
        { ...flag('plain'), has_experiment: false },
        { ...flag('tried'), has_experiment: true },
      ],
    }
    const own = page({ definitions })
    await own.flags.verbs.reloadFeatureFlags()
    own.flags.verbs.getFeatureFlag('plain')
    own.flags.verbs.getFeatureFlag('tried')
    expect(own.events.map(({ only }) => only?.test('locally_evaluated'))).toEqual([true, undefined])
  })
})

describe('flags with definitions from an address', () => {
  it('are there once it has answered, listeners hear of it, and the service is asked for the rest alone', async () => {
    let answer: (answer: Scripted) => void = () => {}
    const slow = new Promise<Scripted>((resolve) => {
      answer = resolve
    })
    const own = page({ definitionsUrl: '/flags.json' })
    own.answer = (index) => (index === 0 ? [200, MIXED] : slow)
    const heard: unknown[] = []
    own.flags.verbs.onFeatureFlags((values) => heard.push(values))
    const stop = own.flags.start()
    await own.clock.advance(0)
    expect(heard).toEqual([{ on: true }])
    answer(decided({ pro: true, de: false }))
    await own.clock.advance(0)
    expect(heard).toEqual([{ on: true }, { on: true, pro: true, de: false }])
    expect(own.requests[0]!.url).toBe('/flags.json')
    expect(askedFor(own)).toEqual([['pro', 'de']])
    stop()
  })

  it('load it again each interval, when seen again after one, and when told so, but not for another user', async () => {
    const answers = { file: [200, EASY] as Scripted }
    const own = page({ definitionsUrl: '/f' }, answers, { flagsIntervalMs: 10_000 })
    const stop = own.flags.start()
    await own.clock.advance(0)
    expect(own.paths()).toEqual(['/f'])
    own.identity = { distinct_id: 'v', $anon_distinct_id: 'u', groups: {} }
    own.flags.identityChanged()
    own.flags.verbs.setPersonPropertiesForFlags({ plan: 'pro' })
    await own.clock.advance(0)
    expect(own.paths()).toEqual(['/f'])
    await own.clock.advance(10_000)
    expect(own.paths()).toEqual(['/f', '/f'])
    answers.file = [200, { flags: [flag('new')] }]
    await own.flags.verbs.reloadFeatureFlags()
    expect(own.flags.verbs.getFeatureFlags()).toEqual({ new: true })
    stop()
    own.flags.wake()
    await own.clock.advance(60_000)
    expect(own.paths()).toHaveLength(3)
  })

  it('are those of the service where it does not answer, and it is tried again with the next load', async () => {
    const answers: { file: Scripted; service: Scripted } = { file: 404, service: decided({ on: 'told' }) }
    const own = page({ definitionsUrl: '/f' }, answers)
    await own.flags.verbs.reloadFeatureFlags()
    expect(own.flags.verbs.getFeatureFlags()).toEqual({ on: 'told' })
    expect(askedFor(own)).toEqual([undefined])
    answers.file = [200, EASY]
    own.identity = { distinct_id: 'v', $anon_distinct_id: 'u', groups: {} }
    own.flags.identityChanged()
    await own.clock.advance(0)
    expect(own.flags.verbs.getFeatureFlags()).toEqual({ on: true, off: false })
    expect(own.warnings).toHaveLength(1)
  })

  it('begin with those of the page', async () => {
    const own = page({ definitions: EASY, definitionsUrl: '/f' }, { file: [200, { flags: [flag('newer')] }] })
    expect(own.flags.verbs.getFeatureFlags()).toEqual({ on: true, off: false })
    const stop = own.flags.start()
    await own.clock.advance(0)
    expect(own.flags.verbs.getFeatureFlags()).toEqual({ newer: true })
    stop()
  })
})
