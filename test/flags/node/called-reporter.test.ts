import { describe, expect, it } from 'vitest'
import {
  flagResponses,
  detailOf,
  flagFor,
  flagOf,
  LOADED_AT,
  memoryDefinitions,
  nodeFlagsFixture,
} from './flags-fixture.ts'

const properties = (fixture: ReturnType<typeof nodeFlagsFixture>): Record<string, unknown>[] =>
  fixture.events.map((event) => event.properties)

describe('$feature_flag_called in Node', () => {
  it('describes a locally evaluated flag', async () => {
    const flags = [
      flagOf('hero', {
        id: 9,
        version: 4,
        filters: {
          groups: [{ variant: 'bold' }],
          multivariate: { variants: [{ key: 'bold', rollout_percentage: 0 }] },
          payloads: { bold: '[1]' },
        },
      }),
    ]
    const fixture = nodeFlagsFixture({ disableGeoip: true }, memoryDefinitions({ flags }))
    await fixture.verbs.getFeatureFlag('hero', 'u', { groups: { company: 7 } })
    expect(fixture.events).toEqual([
      {
        event: '$feature_flag_called',
        distinctId: 'u',
        groups: { company: '7' },
        disableGeoip: true,
        properties: {
          $feature_flag: 'hero',
          $feature_flag_response: 'bold',
          $feature_flag_payload: [1],
          $feature_flag_id: 9,
          $feature_flag_version: 4,
          $feature_flag_reason: 'condition_match',
          $feature_flag_definitions_loaded_at: LOADED_AT,
          '$feature/hero': 'bold',
          locally_evaluated: true,
        },
      },
    ])
  })

  it('describes a flag of the service, with the request id', async () => {
    const fixture = nodeFlagsFixture(
      { flagsApi: 'flags' },
      memoryDefinitions({ flags: [flagOf('hero', flagFor({ plan: 'x' }))] }),
    )
    fixture.respond = () => [200, { flags: { hero: detailOf('bold', { payload: '[1]' }) }, requestId: 'r7' }]
    await fixture.verbs.isFeatureEnabled('hero', 'u', { disableGeoip: true })
    expect(fixture.events[0]).toMatchObject({ disableGeoip: true, groups: {} })
    expect(properties(fixture)).toEqual([
      {
        $feature_flag: 'hero',
        $feature_flag_response: 'bold',
        $feature_flag_payload: [1],
        $feature_flag_id: 7,
        $feature_flag_version: 3,
        $feature_flag_reason: 'Matched condition set 1',
        $feature_flag_request_id: 'r7',
        '$feature/hero': 'bold',
        locally_evaluated: false,
      },
    ])
  })

  // Specification, section 15: "server (distinct id, flag, value, groups as a sorted mapping: order of keys does not matter, another key does). Value
  // changed: sent again."
  it('is sent once per user, flag, value and groups, in any order of groups', async () => {
    const definitions = memoryDefinitions({ flags: [flagOf('a')] })
    const fixture = nodeFlagsFixture({}, definitions)
    const read = async (distinctId: string, groups?: Record<string, string | number>): Promise<number> => {
      const { length } = fixture.events
      await fixture.verbs.getFeatureFlag('a', distinctId, { groups })
      return fixture.events.length - length
    }
    expect([await read('u'), await read('u'), await read('v')]).toEqual([1, 0, 1])
    expect(await read('u', { company: 'acme', team: 'red' })).toBe(1)
    expect(await read('u', { team: 'red', company: 'acme' })).toBe(0)
    expect(await read('u', { team: 'blue', company: 'acme' })).toBe(1)
    expect([await read('u', { company: 7 }), await read('u', { company: '7' })]).toEqual([1, 0])
    definitions.set({ flags: [flagOf('a', { active: false })] })
    expect([await read('u'), await read('u')]).toEqual([1, 0])
    definitions.set({ flags: [flagOf('a')] })
    expect(await read('u')).toBe(0)
  })

  it('is sent once for all methods and snapshots', async () => {
    const fixture = nodeFlagsFixture({}, memoryDefinitions({ flags: [flagOf('a')] }))
    await fixture.verbs.getFeatureFlag('a', 'u')
    await fixture.verbs.isFeatureEnabled('a', 'u')
    await fixture.verbs.getFeatureFlagResult('a', 'u')
    const flags = await fixture.verbs.evaluateFlags('u')
    flags.isEnabled('a')
    flags.getFlag('a')
    expect(fixture.events).toHaveLength(1)
  })

  // Specification, section 15: "Payload reads, bulk getters and `send: false` never send."
  it('is not sent for reads of payloads or several flags, or if the caller forbids it', async () => {
    const fixture = nodeFlagsFixture({}, memoryDefinitions({ flags: [flagOf('a')] }))
    await fixture.verbs.getFeatureFlagPayload('a', 'u')
    await fixture.verbs.getFeatureFlags('u')
    await fixture.verbs.getFeatureFlagsAndPayloads('u')
    const flags = await fixture.verbs.evaluateFlags('u')
    flags.getFlagPayload('a')
    flags.eventProperties()
    await fixture.verbs.getFeatureFlag('a', 'u', { sendFeatureFlagEvents: false })
    await fixture.verbs.isFeatureEnabled('a', 'u', { sendFeatureFlagEvents: false })
    expect(fixture.events).toHaveLength(0)
    await fixture.verbs.getFeatureFlag('a', 'u', { sendFeatureFlagEvents: undefined })
    expect(fixture.events).toHaveLength(1)
  })

  // Specification, section 15: "Missing flag: sent with the missing marker, once."
  it('reports a missing flag once', async () => {
    const fixture = nodeFlagsFixture()
    for (let read = 0; read < 2; read++) await fixture.verbs.getFeatureFlag('none', 'u')
    expect(properties(fixture)).toEqual([
      {
        $feature_flag: 'none',
        $feature_flag_request_id: 'r1',
        $feature_flag_error: 'flag_missing',
        locally_evaluated: false,
      },
    ])
  })

  it.each([
    ['api_error_500', 500],
    ['connection_error', 0],
    ['api_error_200', [200, '<html>']],
    ['quota_limited,flag_missing', [200, flagResponses({}, { quotaLimited: ['feature_flags'] }).decide]],
    ['errors_while_computing_flags,flag_missing', [200, flagResponses({}, { errorsWhileComputingFlags: true }).decide]],
  ] as const)('has the $feature_flag_error %s', async (error, response) => {
    const fixture = nodeFlagsFixture({ featureFlagsRequestMaxRetries: 0 })
    fixture.respond = () => response
    await fixture.verbs.getFeatureFlag('a', 'u')
    expect(properties(fixture)).toMatchObject([{ $feature_flag: 'a', $feature_flag_error: error }])
  })

  it('has a $feature_flag_error if the options forbid a needed request', async () => {
    const fixture = nodeFlagsFixture({}, memoryDefinitions({ flags: [flagOf('a', flagFor({ plan: 'x' }))] }))
    await fixture.verbs.getFeatureFlag('a', 'u', { onlyEvaluateLocally: true })
    expect(properties(fixture)).toMatchObject([{ $feature_flag_error: 'local_evaluation_inconclusive' }])
  })

  it('has no request error for a locally evaluated flag', async () => {
    const fixture = nodeFlagsFixture(
      {},
      memoryDefinitions({ flags: [flagOf('a'), flagOf('b', flagFor({ plan: 'x' }))] }),
    )
    fixture.respond = () => 500
    const flags = await fixture.verbs.evaluateFlags('u')
    flags.getFlag('a')
    flags.getFlag('b')
    expect(properties(fixture)[0]).not.toHaveProperty('$feature_flag_error')
    expect(properties(fixture)[1]).toHaveProperty('$feature_flag_error', 'api_error_500')
  })

  // Specification, section 15: "Opted out: nothing sent and nothing marked as sent." Section 4: "a dropped event leaves no trace in the queue, the flag tracker or
  // the session"
  it('is sent by a later read if it was dropped or the agent was opted out', async () => {
    const fixture = nodeFlagsFixture({}, memoryDefinitions({ flags: [flagOf('a')] }))
    fixture.isOptedOut = true
    expect(await fixture.verbs.getFeatureFlag('a', 'u')).toBe(true)
    fixture.isOptedOut = false
    fixture.acceptsEvents = false
    await fixture.verbs.getFeatureFlag('a', 'u')
    expect(fixture.events).toHaveLength(0)
    fixture.acceptsEvents = true
    await fixture.verbs.getFeatureFlag('a', 'u')
    expect(fixture.events).toHaveLength(1)
  })

  it('is sent once if a before_send hook reads the same flag', async () => {
    const fixture = nodeFlagsFixture({}, memoryDefinitions({ flags: [flagOf('a')] }))
    const flags = await fixture.verbs.evaluateFlags('u')
    fixture.onCapture = () => void flags.getFlag('a')
    flags.getFlag('a')
    expect(fixture.events).toHaveLength(1)
  })

  it('is sent again for the least recently active user above maxFlagCalledEntries', async () => {
    const fixture = nodeFlagsFixture({ maxFlagCalledEntries: 3 }, memoryDefinitions({ flags: [flagOf('a')] }))
    const isReported = async (distinctId: string): Promise<boolean> => {
      const { length } = fixture.events
      await fixture.verbs.getFeatureFlag('a', distinctId)
      return fixture.events.length > length
    }
    for (const user of ['1', '2', '3']) expect(await isReported(user)).toBe(true)
    expect(await isReported('1')).toBe(false)
    expect(await isReported('4')).toBe(true)
    expect([await isReported('1'), await isReported('3'), await isReported('4')]).toEqual([false, false, false])
    expect(await isReported('2')).toBe(true)
  })

  // Specification, section 7: "The flag-called tracker is cleared"
  it('is not sent after shutdown', async () => {
    const fixture = nodeFlagsFixture({}, memoryDefinitions({ flags: [flagOf('a')] }))
    const flags = await fixture.verbs.evaluateFlags('u')
    await fixture.flags.shutdown()
    flags.getFlag('a')
    await fixture.verbs.getFeatureFlag('a', 'u')
    expect(fixture.events).toHaveLength(0)
  })

  // Specification, section 15: "Minimal mode: only if the service says so (`minimal_flag_called_events`) and the flag's `has_experiment` is exactly false:
  // properties cut to an allow-list [...]. Anything unknown: full event."
  describe('with minimal properties', () => {
    const allowedNames = (fixture: ReturnType<typeof nodeFlagsFixture>): RegExp | undefined =>
      fixture.events[0]!.allowedNames

    it.each([
      [true, false],
      [false, true],
      [false, undefined],
    ])('is %s with minimal_flag_called_events and the has_experiment %s', async (isMinimal, has_experiment) => {
      const flags = [flagOf('a', has_experiment === undefined ? {} : { has_experiment })]
      const fixture = nodeFlagsFixture({}, memoryDefinitions({ flags, minimal_flag_called_events: true }))
      await fixture.verbs.getFeatureFlag('a', 'u')
      expect(allowedNames(fixture) !== undefined).toBe(isMinimal)
    })

    it('is off without minimal_flag_called_events', async () => {
      const fixture = nodeFlagsFixture({}, memoryDefinitions({ flags: [flagOf('a', { has_experiment: false })] }))
      await fixture.verbs.getFeatureFlag('a', 'u')
      expect(allowedNames(fixture)).toBeUndefined()
    })

    it.each([
      [true, true, false],
      [false, true, true],
      [false, true, undefined],
      [false, false, false],
    ])(
      'is %s with minimalFlagCalledEvents %s in the response and has_experiment %s',
      async (isMinimal, minimal, has_experiment) => {
        const fixture = nodeFlagsFixture({ flagsApi: 'flags' })
        fixture.respond = () => [
          200,
          { flags: { a: detailOf(true, { has_experiment }) }, minimalFlagCalledEvents: minimal },
        ]
        await fixture.verbs.getFeatureFlag('a', 'u')
        expect(allowedNames(fixture) !== undefined).toBe(isMinimal)
      },
    )

    it('is off for a flag of the service if only the definitions ask for it', async () => {
      const flags = [flagOf('a', { ...flagFor({ plan: 'x' }), has_experiment: false })]
      const fixture = nodeFlagsFixture(
        { flagsApi: 'flags' },
        memoryDefinitions({ flags, minimal_flag_called_events: true }),
      )
      fixture.respond = () => [200, { flags: { a: detailOf(true, { has_experiment: false }) } }]
      await fixture.verbs.getFeatureFlag('a', 'u')
      expect(allowedNames(fixture)).toBeUndefined()
    })

    it('keeps the properties of the flag, ids, session, groups and library', async () => {
      const flags = [flagOf('a', { has_experiment: false })]
      const fixture = nodeFlagsFixture({}, memoryDefinitions({ flags, minimal_flag_called_events: true }))
      await fixture.verbs.getFeatureFlag('a', 'u')
      const ownNames = [
        'locally_evaluated',
        'distinct_id',
        '$session_id',
        '$groups',
        '$lib',
        '$lib_version',
        'utm_source',
      ]
      const flagNames = Object.keys(properties(fixture)[0]!).filter((name) => name.startsWith('$feature_flag'))
      const controlNames = ['$process_person_profile', '$geoip_disable']
      for (const name of [...ownNames, ...flagNames, ...controlNames])
        expect([name, allowedNames(fixture)!.test(name)]).toEqual([name, true])
      for (const name of ['$feature/a', '$referrer', '$current_url', '$ip', 'plan', 'my_locally_evaluated'])
        expect([name, allowedNames(fixture)!.test(name)]).toEqual([name, false])
    })
  })
})
