import { describe, expect, it } from 'vitest'
import { answered, detailOf, flagFor, flagOf, LOADED_AT, memoryDefinitions, serverFixture } from './flags-fixture.ts'

const properties = (server: ReturnType<typeof serverFixture>): Record<string, unknown>[] =>
  server.events.map((event) => event.properties)

describe('$feature_flag_called of a server', () => {
  it('tells of a flag evaluated here: its value, payload, id, version and reason, and that it was here', async () => {
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
    const server = serverFixture({ disableGeoip: true }, memoryDefinitions({ flags }))
    await server.verbs.getFeatureFlag('hero', 'u', { groups: { company: 7 } })
    expect(server.events).toEqual([
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

  it('tells of a flag that the service has told, and by which request', async () => {
    const server = serverFixture(
      { flagsApi: 'flags' },
      memoryDefinitions({ flags: [flagOf('hero', flagFor({ plan: 'x' }))] }),
    )
    server.answer = () => [200, { flags: { hero: detailOf('bold', { payload: '[1]' }) }, requestId: 'r7' }]
    await server.verbs.isFeatureEnabled('hero', 'u', { disableGeoip: true })
    expect(server.events[0]).toMatchObject({ disableGeoip: true, groups: {} })
    expect(properties(server)).toEqual([
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

  // behaviour.md 15: "server (distinct id, flag, value, groups as a sorted mapping: order of keys does not matter, another key does). Value
  // changed: sent again."
  it('goes out once for each user, flag, value and groups, whatever the order of these', async () => {
    const definitions = memoryDefinitions({ flags: [flagOf('a')] })
    const server = serverFixture({}, definitions)
    const read = async (distinctId: string, groups?: Record<string, string | number>): Promise<number> => {
      const { length } = server.events
      await server.verbs.getFeatureFlag('a', distinctId, { groups })
      return server.events.length - length
    }
    expect([await read('u'), await read('u'), await read('v')]).toEqual([1, 0, 1])
    expect(await read('u', { company: 'acme', team: 'red' })).toBe(1)
    expect(await read('u', { team: 'red', company: 'acme' })).toBe(0)
    expect(await read('u', { team: 'blue', company: 'acme' })).toBe(1)
    expect([await read('u', { company: 7 }), await read('u', { company: '7' })]).toEqual([1, 0])
    definitions.put({ flags: [flagOf('a', { active: false })] })
    expect([await read('u'), await read('u')]).toEqual([1, 0])
    definitions.put({ flags: [flagOf('a')] })
    expect(await read('u')).toBe(0)
  })

  it('is one for all verbs and snapshots', async () => {
    const server = serverFixture({}, memoryDefinitions({ flags: [flagOf('a')] }))
    await server.verbs.getFeatureFlag('a', 'u')
    await server.verbs.isFeatureEnabled('a', 'u')
    await server.verbs.getFeatureFlagResult('a', 'u')
    const flags = await server.verbs.evaluateFlags('u')
    flags.isEnabled('a')
    flags.getFlag('a')
    expect(server.events).toHaveLength(1)
  })

  // behaviour.md 15: "Payload reads, bulk getters and `send: false` never send."
  it('stays silent for payloads, bulk reads, snapshots without a read, and where a read says so', async () => {
    const server = serverFixture({}, memoryDefinitions({ flags: [flagOf('a')] }))
    await server.verbs.getFeatureFlagPayload('a', 'u')
    await server.verbs.getFeatureFlags('u')
    await server.verbs.getFeatureFlagsAndPayloads('u')
    const flags = await server.verbs.evaluateFlags('u')
    flags.getFlagPayload('a')
    flags.eventProperties()
    await server.verbs.getFeatureFlag('a', 'u', { sendFeatureFlagEvents: false })
    await server.verbs.isFeatureEnabled('a', 'u', { sendFeatureFlagEvents: false })
    expect(server.events).toHaveLength(0)
    await server.verbs.getFeatureFlag('a', 'u', { sendFeatureFlagEvents: undefined })
    expect(server.events).toHaveLength(1)
  })

  // behaviour.md 15: "Missing flag: sent with the missing marker, once."
  it('names a missing flag once', async () => {
    const server = serverFixture()
    for (let read = 0; read < 2; read++) await server.verbs.getFeatureFlag('none', 'u')
    expect(properties(server)).toEqual([
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
    ['quota_limited,flag_missing', [200, answered({}, { quotaLimited: ['feature_flags'] }).decide]],
    ['errors_while_computing_flags,flag_missing', [200, answered({}, { errorsWhileComputingFlags: true }).decide]],
  ] as const)('says %s where there is no value for that reason', async (error, answer) => {
    const server = serverFixture({ featureFlagsRequestMaxRetries: 0 })
    server.answer = () => answer
    await server.verbs.getFeatureFlag('a', 'u')
    expect(properties(server)).toMatchObject([{ $feature_flag: 'a', $feature_flag_error: error }])
  })

  it('says so where the service was not to be asked', async () => {
    const server = serverFixture({}, memoryDefinitions({ flags: [flagOf('a', flagFor({ plan: 'x' }))] }))
    await server.verbs.getFeatureFlag('a', 'u', { onlyEvaluateLocally: true })
    expect(properties(server)).toMatchObject([{ $feature_flag_error: 'local_evaluation_inconclusive' }])
  })

  it('holds no error of the request against a flag evaluated here', async () => {
    const server = serverFixture({}, memoryDefinitions({ flags: [flagOf('a'), flagOf('b', flagFor({ plan: 'x' }))] }))
    server.answer = () => 500
    const flags = await server.verbs.evaluateFlags('u')
    flags.getFlag('a')
    flags.getFlag('b')
    expect(properties(server)[0]).not.toHaveProperty('$feature_flag_error')
    expect(properties(server)[1]).toHaveProperty('$feature_flag_error', 'api_error_500')
  })

  // behaviour.md 15: "Opted out: nothing sent and nothing marked as sent." 4: "a dropped event leaves no trace in the queue, the flag tracker or
  // the session"
  it('is neither sent nor marked while opted out or when the event was dropped', async () => {
    const server = serverFixture({}, memoryDefinitions({ flags: [flagOf('a')] }))
    server.optedOut = true
    expect(await server.verbs.getFeatureFlag('a', 'u')).toBe(true)
    server.optedOut = false
    server.accepts = false
    await server.verbs.getFeatureFlag('a', 'u')
    expect(server.events).toHaveLength(0)
    server.accepts = true
    await server.verbs.getFeatureFlag('a', 'u')
    expect(server.events).toHaveLength(1)
  })

  it('does not come out of a hook that reads the flag of which it tells', async () => {
    const server = serverFixture({}, memoryDefinitions({ flags: [flagOf('a')] }))
    const flags = await server.verbs.evaluateFlags('u')
    server.onCapture = () => void flags.getFlag('a')
    flags.getFlag('a')
    expect(server.events).toHaveLength(1)
  })

  it('is forgotten, the read of longest ago first and one at a time, above the bound', async () => {
    const server = serverFixture({ maxFlagCalledEntries: 3 }, memoryDefinitions({ flags: [flagOf('a')] }))
    const isReported = async (distinctId: string): Promise<boolean> => {
      const { length } = server.events
      await server.verbs.getFeatureFlag('a', distinctId)
      return server.events.length > length
    }
    for (const user of ['1', '2', '3']) expect(await isReported(user)).toBe(true)
    expect(await isReported('1')).toBe(false)
    expect(await isReported('4')).toBe(true)
    expect([await isReported('1'), await isReported('3'), await isReported('4')]).toEqual([false, false, false])
    expect(await isReported('2')).toBe(true)
  })

  // behaviour.md 7: "The flag-called tracker is cleared"
  it('ends with the shutdown', async () => {
    const server = serverFixture({}, memoryDefinitions({ flags: [flagOf('a')] }))
    const flags = await server.verbs.evaluateFlags('u')
    await server.flags.shutdown()
    flags.getFlag('a')
    await server.verbs.getFeatureFlag('a', 'u')
    expect(server.events).toHaveLength(0)
  })

  // behaviour.md 15: "Minimal mode: only if the service says so (`minimal_flag_called_events`) and the flag's `has_experiment` is exactly false:
  // properties cut to an allow-list [...]. Anything unknown: full event."
  describe('with few properties', () => {
    const only = (server: ReturnType<typeof serverFixture>): RegExp | undefined => server.events[0]!.only

    it.each([
      [true, false],
      [false, true],
      [false, undefined],
    ])('goes out: %s, when the definitions want that and has_experiment is %s', async (isMinimal, has_experiment) => {
      const flags = [flagOf('a', has_experiment === undefined ? {} : { has_experiment })]
      const server = serverFixture({}, memoryDefinitions({ flags, minimal_flag_called_events: true }))
      await server.verbs.getFeatureFlag('a', 'u')
      expect(only(server) !== undefined).toBe(isMinimal)
    })

    it('does not when only the definitions could say so, and do not', async () => {
      const server = serverFixture({}, memoryDefinitions({ flags: [flagOf('a', { has_experiment: false })] }))
      await server.verbs.getFeatureFlag('a', 'u')
      expect(only(server)).toBeUndefined()
    })

    it.each([
      [true, true, false],
      [false, true, true],
      [false, true, undefined],
      [false, false, false],
    ])('goes out: %s, when the answer says %s and has_experiment is %s', async (isMinimal, said, has_experiment) => {
      const server = serverFixture({ flagsApi: 'flags' })
      server.answer = () => [200, { flags: { a: detailOf(true, { has_experiment }) }, minimalFlagCalledEvents: said }]
      await server.verbs.getFeatureFlag('a', 'u')
      expect(only(server) !== undefined).toBe(isMinimal)
    })

    it('does not for a flag told by the service because the definitions want it', async () => {
      const flags = [flagOf('a', { ...flagFor({ plan: 'x' }), has_experiment: false })]
      const server = serverFixture(
        { flagsApi: 'flags' },
        memoryDefinitions({ flags, minimal_flag_called_events: true }),
      )
      server.answer = () => [200, { flags: { a: detailOf(true, { has_experiment: false }) } }]
      await server.verbs.getFeatureFlag('a', 'u')
      expect(only(server)).toBeUndefined()
    })

    it('keeps facts about the flag, where it was evaluated, ids, session, groups and library', async () => {
      const flags = [flagOf('a', { has_experiment: false })]
      const server = serverFixture({}, memoryDefinitions({ flags, minimal_flag_called_events: true }))
      await server.verbs.getFeatureFlag('a', 'u')
      const kept = ['locally_evaluated', 'distinct_id', '$session_id', '$groups', '$lib', '$lib_version', 'utm_source']
      const facts = Object.keys(properties(server)[0]!).filter((name) => name.startsWith('$feature_flag'))
      const more = ['$process_person_profile', '$geoip_disable']
      for (const name of [...kept, ...facts, ...more]) expect([name, only(server)!.test(name)]).toEqual([name, true])
      for (const name of ['$feature/a', '$referrer', '$current_url', '$ip', 'plan', 'my_locally_evaluated'])
        expect([name, only(server)!.test(name)]).toEqual([name, false])
    })
  })
})
