import { describe, expect, it } from 'vitest'
import type { FlagDefinition } from '../../../src/wire/definition.ts'
import { answered, detailOf, flagFor, flagOf, memoryDefinitions, serverFixture } from './flags-fixture.ts'

const VARIANT: Partial<FlagDefinition> = {
  version: 4,
  filters: {
    groups: [{}],
    multivariate: { variants: [{ key: 'bold', rollout_percentage: 100 }] },
    payloads: { bold: '{"colour":"red"}' },
  },
}
const HERO = { key: 'hero', enabled: true, variant: 'bold', payload: { colour: 'red' } }

describe('one flag', () => {
  it('is a boolean by its type only where there is a default', async () => {
    const { verbs } = serverFixture()
    const on: boolean = await verbs.isFeatureEnabled('a', 'u', { defaultValue: true })
    // @ts-expect-error -- it is undefined while the flag is unknown
    const unknown: boolean = await verbs.isFeatureEnabled('a', 'u')
    expect([on, unknown]).toEqual([true, undefined])
  })

  it('has its value from the definitions, without a request', async () => {
    const server = serverFixture(
      {},
      memoryDefinitions({ flags: [flagOf('hero', VARIANT), flagOf('off', { active: false })] }),
    )
    expect(await server.verbs.getFeatureFlag('hero', 'u')).toBe('bold')
    expect(await server.verbs.isFeatureEnabled('hero', 'u')).toBe(true)
    expect(await server.verbs.getFeatureFlagPayload('hero', 'u')).toEqual({ colour: 'red' })
    expect(await server.verbs.getFeatureFlagResult('hero', 'u')).toEqual(HERO)
    expect(await server.verbs.getFeatureFlag('off', 'u')).toBe(false)
    expect(server.requests).toHaveLength(0)
  })

  it('has it from the service where there are no definitions', async () => {
    const server = serverFixture()
    server.answer = () => [200, answered({ hero: 'bold' }, { payloads: { hero: '{"colour":"red"}' } }).decide]
    expect(await server.verbs.getFeatureFlagResult('hero', 'u')).toEqual(HERO)
    expect(await server.verbs.getFeatureFlagPayload('hero', 'u')).toEqual({ colour: 'red' })
  })

  it.each([undefined, null, '', ' ', 7, {}])(
    'is refused with a warning where its key is %j: not asked, not reported',
    async (none) => {
      const server = serverFixture()
      const key = none as string
      expect(await server.verbs.getFeatureFlag(key, 'u')).toBeUndefined()
      expect((await server.verbs.evaluateFlags('u', { flagKeys: [key] })).keys).toEqual([])
      const refused = ['a feature flag was not read: its key is missing, or no text']
      expect(server.warnings).toEqual([refused, refused])
      expect([server.requests, server.events]).toEqual([[], []])
    },
  )

  it('is asked for beside keys that are none, but not by the letters of flagKeys that is no array', async () => {
    const server = serverFixture()
    await server.verbs.getFeatureFlags('u', { flagKeys: [undefined as never, 'a'] })
    expect(await server.verbs.getFeatureFlags('u', { flagKeys: 'beta' as never })).toEqual({})
    expect(server.bodies().map((body) => body['flag_keys_to_evaluate'])).toEqual([['a']])
    expect(server.warnings.at(-1)).toEqual(['feature flags were not read: flagKeys is no array'])
  })

  // behaviour.md 16: "Order: overrides, local definitions, then remote unless `onlyEvaluateLocally`. Inconclusive (unknown property, unknown
  // operator, missing group context, cohort missing, experience continuity) falls to remote for that flag only; others in the batch are
  // unaffected." "Group flag without that group's key: **inconclusive**. (better than the field) node answers false locally."
  it.each([
    ['an unknown property', flagOf('a', flagFor({ plan: 'pro' }))],
    [
      'an unknown operator',
      flagOf('a', {
        filters: { groups: [{ properties: [{ key: 'distinct_id', operator: 'smells_like', value: 'u' }] }] },
      }),
    ],
    ['a missing group', flagOf('a', { filters: { aggregation_group_type_index: 0, groups: [{}] } })],
    [
      'a missing cohort',
      flagOf('a', { filters: { groups: [{ properties: [{ key: 'id', type: 'cohort', value: 9 }] }] } }),
    ],
    ['experience continuity', flagOf('a', { ensure_experience_continuity: true })],
    ['a definition that is malformed', { id: 1, key: 'a', active: true, filters: 'none' } as never],
    ['a definition that is not there', flagOf('other')],
  ])('is asked of the service for %s, that flag alone', async (_why, definition) => {
    const flags = [definition, flagOf('b')]
    const server = serverFixture({}, memoryDefinitions({ flags, group_type_mapping: { 0: 'company' } }))
    server.answer = () => [200, answered({ a: 'told' }).decide]
    expect(await server.verbs.getFeatureFlag('a', 'u')).toBe('told')
    expect(await server.verbs.getFeatureFlag('b', 'u')).toBe(true)
    expect(server.bodies()).toMatchObject([{ flag_keys_to_evaluate: ['a'] }])
    expect(await server.verbs.getFeatureFlag('a', 'u', { onlyEvaluateLocally: true })).toBeUndefined()
    expect(server.requests).toHaveLength(1)
  })

  it('knows the group and its properties, with a number for a key, too', async () => {
    const properties = [{ key: 'seats', type: 'group', operator: 'gt', value: 5 }]
    const flags = [flagOf('a', { filters: { aggregation_group_type_index: 0, groups: [{ properties }] } })]
    const server = serverFixture({}, memoryDefinitions({ flags, group_type_mapping: { 0: 'company' } }))
    const groupProperties = { company: { seats: 6 } }
    expect(await server.verbs.getFeatureFlag('a', 'u', { groups: { company: 7 }, groupProperties })).toBe(true)
    expect(server.requests).toHaveLength(0)
  })

  it('is never asked of the service with strictLocalEvaluation, unless a read says so', async () => {
    const server = serverFixture({ strictLocalEvaluation: true }, memoryDefinitions({ flags: [flagOf('a')] }))
    server.answer = () => [200, answered({ b: true }).decide]
    expect(await server.verbs.getFeatureFlag('b', 'u')).toBeUndefined()
    expect(server.requests).toHaveLength(0)
    expect(await server.verbs.getFeatureFlag('b', 'u', { onlyEvaluateLocally: false })).toBe(true)
  })

  // behaviour.md 14: `isFeatureEnabled(key, {defaultValue})`. "(better than the field) node ignores `defaultValue`."
  it('is enabled as a variant, stays off against a default, and takes the default when it is unknown', async () => {
    const server = serverFixture(
      {},
      memoryDefinitions({ flags: [flagOf('hero', VARIANT), flagOf('off', { active: false })] }),
    )
    const { isFeatureEnabled } = server.verbs
    expect(await isFeatureEnabled('hero', 'u', { defaultValue: false })).toBe(true)
    expect(await isFeatureEnabled('off', 'u', { defaultValue: true })).toBe(false)
    expect(await isFeatureEnabled('none', 'u', { defaultValue: true })).toBe(true)
    expect(await isFeatureEnabled('none', 'u')).toBeUndefined()
  })

  it.each(['constructor', '__proto__', 'toString'])(
    'is unknown when it is called %s and there is none',
    async (key) => {
      const server = serverFixture({}, memoryDefinitions({ flags: [flagOf('a')] }))
      server.answer = () => [200, answered({ a: true }).decide]
      expect(await server.verbs.getFeatureFlag(key, 'u')).toBeUndefined()
      expect(await server.verbs.getFeatureFlagPayload(key, 'u')).toBeUndefined()
      expect((await server.verbs.evaluateFlags('u')).getFlag(key)).toBeUndefined()
    },
  )

  it('keeps the others right when one definition is bad', async () => {
    const bad = [null, 7, { key: 'a' }, { key: 'b', active: true, filters: { groups: 3 } }, { key: 'c', active: 'yes' }]
    const definitions = memoryDefinitions({ flags: [...(bad as never[]), flagOf('good')] })
    const server = serverFixture({ strictLocalEvaluation: true }, definitions)
    expect(await server.verbs.getFeatureFlags('u')).toEqual({ good: true })
  })
})

describe('who a flag is for', () => {
  // behaviour.md 21: "Flags without identity in context: empty, no request, no event. (better than the field) node's single-flag
  // getters cannot take the id from the context."
  it('is whom the context names, where the read names nobody', async () => {
    const server = serverFixture({}, memoryDefinitions({ flags: [flagOf('me', flagFor({ distinct_id: 'ada' }))] }))
    server.context = { distinctId: 'ada' }
    expect(await server.verbs.getFeatureFlag('me')).toBe(true)
    expect(await server.verbs.getFeatureFlag('me', 'bob')).toBe(false)
    expect((await server.verbs.evaluateFlags()).distinctId).toBe('ada')
    expect(server.events.map(({ distinctId }) => distinctId)).toEqual(['ada', 'bob'])
  })

  it('may be nobody: no value, no request, no event, and one warning', async () => {
    const server = serverFixture({}, memoryDefinitions({ flags: [flagOf('a')] }))
    expect(await server.verbs.getFeatureFlag('a')).toBeUndefined()
    expect(await server.verbs.getFeatureFlag('other')).toBeUndefined()
    expect(await server.verbs.getFeatureFlags()).toEqual({})
    const flags = await server.verbs.evaluateFlags()
    expect(flags.keys).toEqual([])
    expect(flags.getFlag('a')).toBeUndefined()
    expect(flags.eventProperties()).toEqual({})
    expect(server.requests).toHaveLength(0)
    expect(server.events).toHaveLength(0)
    expect(server.warnings).toHaveLength(1)
  })

  it('is a number as its text', async () => {
    const server = serverFixture({}, memoryDefinitions({ flags: [flagOf('me', flagFor({ distinct_id: '42' }))] }))
    expect(await server.verbs.getFeatureFlag('me', 42 as never)).toBe(true)
  })

  it('never makes a promise reject', async () => {
    const server = serverFixture({}, memoryDefinitions({ flags: [flagOf('a')] }))
    const hostile = {
      get groups(): never {
        throw new Error('no groups')
      },
    }
    expect(await server.verbs.getFeatureFlag('a', 'u', hostile)).toBeUndefined()
    expect(await server.verbs.getFeatureFlags('u', hostile)).toEqual({})
    expect(await server.verbs.getFeatureFlag('a', 'u', null as never)).toBe(true)
    expect(await server.verbs.getFeatureFlags('u', null as never)).toEqual({ a: true })
  })
})

describe('all flags', () => {
  const definitions = () =>
    memoryDefinitions({
      flags: [flagOf('hero', VARIANT), flagOf('off', { active: false }), flagOf('pro', flagFor({ plan: 'pro' }))],
    })

  // behaviour.md 16: "one remote request at most, immutable, locally resolved values never overwritten by remote, remote failure keeps them"
  it('are evaluated here, and only those left open are asked for, in one request', async () => {
    const server = serverFixture({}, definitions())
    server.answer = () => [200, answered({ pro: true, hero: 'told', other: true }).decide]
    expect(await server.verbs.getFeatureFlags('u')).toEqual({ hero: 'bold', off: false, pro: true })
    expect(server.bodies()).toMatchObject([{ flag_keys_to_evaluate: ['pro'] }])
    expect(await server.verbs.getFeatureFlags('u', { personProperties: { plan: 'free' } })).toEqual({
      hero: 'bold',
      off: false,
      pro: false,
    })
    expect(server.requests).toHaveLength(1)
  })

  it('keep what was evaluated here when the request fails', async () => {
    const server = serverFixture({}, definitions())
    server.answer = () => 500
    expect(await server.verbs.getFeatureFlagsAndPayloads('u')).toEqual({
      flags: { hero: 'bold', off: false },
      payloads: { hero: { colour: 'red' } },
    })
  })

  it('are the wanted ones alone, those without a definition asked for, too', async () => {
    const server = serverFixture({}, definitions())
    server.answer = () => [200, answered({ new: 'x', pro: true }).decide]
    expect(await server.verbs.getFeatureFlags('u', { flagKeys: ['new', 'hero', 'new'] })).toEqual({
      hero: 'bold',
      new: 'x',
    })
    expect(server.bodies()).toMatchObject([{ flag_keys_to_evaluate: ['new'] }])
    expect(await server.verbs.getFeatureFlags('u', { flagKeys: [] })).toEqual({})
    expect(server.requests).toHaveLength(1)
  })

  it('are all that the service tells where there are no definitions', async () => {
    const server = serverFixture()
    server.answer = () => [200, answered({ a: true, b: 'x' }, { payloads: { b: '1' } }).decide]
    expect(await server.verbs.getFeatureFlagsAndPayloads('u')).toEqual({
      flags: { a: true, b: 'x' },
      payloads: { b: 1 },
    })
    expect(server.bodies()[0]).not.toHaveProperty('flag_keys_to_evaluate')
    await server.verbs.getFeatureFlags('u', { flagKeys: ['a'] })
    expect(server.bodies()[1]).toMatchObject({ flag_keys_to_evaluate: ['a'] })
    expect(server.events).toHaveLength(0)
  })

  it('are asked for where the definitions have none', async () => {
    const server = serverFixture({}, memoryDefinitions({ flags: [] }))
    server.answer = () => [200, answered({ a: true }).decide]
    expect(await server.verbs.getFeatureFlags('u')).toEqual({ a: true })
    expect(server.bodies()[0]).not.toHaveProperty('flag_keys_to_evaluate')
  })

  // behaviour.md 0: "Quota: `quotaLimited` contains `feature_flags`, and flags and payloads are empty objects."
  it('are none when the quota is used up, but those evaluated here', async () => {
    const server = serverFixture({}, definitions())
    server.answer = () => [200, answered({}, { quotaLimited: ['feature_flags'] }).flags]
    expect(await server.verbs.getFeatureFlags('u')).toEqual({ hero: 'bold', off: false })
  })

  it('are without the one that the service could not compute', async () => {
    const server = serverFixture({ flagsApi: 'flags' })
    const flags = { a: detailOf(true), b: { ...detailOf(false), failed: true } }
    server.answer = () => [200, { flags, errorsWhileComputingFlags: true }]
    expect(await server.verbs.getFeatureFlags('u')).toEqual({ a: true })
  })
})

describe('flags for other places', () => {
  const flags = [
    flagOf('page', { evaluation_runtime: 'client' }),
    flagOf('server', { evaluation_runtime: 'server' }),
    flagOf('both', { evaluation_runtime: 'all' }),
    flagOf('shop', { evaluation_contexts: ['shop', 'admin'] }),
    flagOf('docs', { evaluation_tags: ['docs'] }),
    flagOf('kept', { evaluation_runtime: 'client', ensure_experience_continuity: true }),
  ]

  it('are not evaluated, and not asked for: those for clients, and those of other contexts', async () => {
    const server = serverFixture({ evaluationContexts: ['shop'] }, memoryDefinitions({ flags }))
    expect(await server.verbs.getFeatureFlags('u')).toEqual({ server: true, both: true, shop: true })
    for (const key of ['page', 'docs', 'kept']) expect(await server.verbs.getFeatureFlag(key, 'u')).toBeUndefined()
    expect(server.requests).toHaveLength(0)
  })

  it('are those for clients alone where no contexts are named', async () => {
    for (const evaluationContexts of [undefined, []]) {
      const server = serverFixture({ evaluationContexts }, memoryDefinitions({ flags }))
      expect(Object.keys(await server.verbs.getFeatureFlags('u'))).toEqual(['server', 'both', 'shop', 'docs'])
      await server.verbs.getFeatureFlag('unknown', 'u')
      expect(server.bodies()[0]).not.toHaveProperty('evaluation_contexts')
    }
  })

  it('still decide flags that depend on them, as in the service', async () => {
    const dependent = flagOf('dependent', {
      filters: {
        groups: [
          {
            properties: [
              { key: 'page', type: 'flag', operator: 'flag_evaluates_to', value: true, dependency_chain: ['page'] },
            ],
          },
        ],
      },
    })
    const server = serverFixture({}, memoryDefinitions({ flags: [...flags, dependent] }))
    expect(await server.verbs.getFeatureFlag('dependent', 'u')).toBe(true)
  })
})

describe('overridden flags', () => {
  it('win over definitions and service, for every user, until they are replaced; nothing is asked or reported', async () => {
    const server = serverFixture({}, memoryDefinitions({ flags: [flagOf('hero', VARIANT)] }))
    server.verbs.overrideFeatureFlags({ hero: false, other: 'x' }, { other: { n: 1 } })
    expect(await server.verbs.getFeatureFlag('hero', 'u')).toBe(false)
    expect(await server.verbs.getFeatureFlagResult('other')).toEqual({
      key: 'other',
      enabled: true,
      variant: 'x',
      payload: { n: 1 },
    })
    const all = await server.verbs.evaluateFlags('u')
    expect([all.getFlag('hero'), all.getFlag('other'), all.getFlagPayload('other')]).toEqual([false, 'x', { n: 1 }])
    expect(server.requests).toHaveLength(0)
    expect(server.events).toHaveLength(0)
    for (const none of [undefined, {}]) {
      server.verbs.overrideFeatureFlags({ hero: false })
      server.verbs.overrideFeatureFlags(none)
      expect(await server.verbs.getFeatureFlag('hero', 'u')).toBe('bold')
    }
    expect(all.getFlag('hero')).toBe(false)
  })

  it('are not asked for, though only the service could tell them', async () => {
    const server = serverFixture({}, memoryDefinitions({ flags: [flagOf('a', flagFor({ plan: 'pro' }))] }))
    server.verbs.overrideFeatureFlags({ a: 'x', b: true })
    expect(await server.verbs.getFeatureFlags('u')).toEqual({ a: 'x', b: true })
    expect(await server.verbs.getFeatureFlags('u', { flagKeys: ['a', 'b'] })).toEqual({ a: 'x', b: true })
    expect(server.requests).toHaveLength(0)
  })

  it('are among the wanted ones only when they are wanted', async () => {
    const server = serverFixture({}, memoryDefinitions({ flags: [flagOf('a'), flagOf('b')] }))
    server.verbs.overrideFeatureFlags({ b: 'x', c: 'y' })
    expect(await server.verbs.getFeatureFlags('u', { flagKeys: ['a', 'b'] })).toEqual({ a: true, b: 'x' })
  })

  it('may be a payload alone, for a flag that has a value', async () => {
    const server = serverFixture({}, memoryDefinitions({ flags: [flagOf('hero', VARIANT)] }))
    server.verbs.overrideFeatureFlags({}, { hero: 'text', none: 1 })
    expect(await server.verbs.getFeatureFlagResult('hero', 'u')).toEqual({ ...HERO, payload: 'text' })
    expect(await server.verbs.getFeatureFlagsAndPayloads('u')).toEqual({
      flags: { hero: 'bold' },
      payloads: { hero: 'text' },
    })
  })

  it('take no value that is none', async () => {
    const server = serverFixture({}, memoryDefinitions({ flags: [flagOf('a'), flagOf('b')] }))
    server.verbs.overrideFeatureFlags({ a: undefined, b: null } as never)
    expect(await server.verbs.getFeatureFlags('u')).toEqual({ a: true, b: true })
  })
})

describe('the definitions', () => {
  it('are started with the flags and shut down with them', async () => {
    const definitions = memoryDefinitions()
    const server = serverFixture({}, definitions)
    expect(definitions.calls).toEqual(['start'])
    await server.flags.shutdown()
    expect(definitions.calls).toEqual(['start', 'shutdown'])
  })

  // behaviour.md 25: "The first load of definitions must not block capture; the first flag read waits for it (bounded)."
  it('are waited for by the first reads, within one time for all of them', async () => {
    const definitions = memoryDefinitions()
    const server = serverFixture({ featureFlagsRequestTimeoutMs: 2_000 }, definitions)
    const reads = [server.verbs.getFeatureFlag('a', 'u'), server.verbs.getFeatureFlags('u')]
    await server.clock.advance(0)
    expect(server.requests).toHaveLength(0)
    expect(server.held()).toBe(1)
    definitions.put({ flags: [flagOf('a')] })
    expect(await Promise.all(reads)).toEqual([true, { a: true }])
    expect(definitions.calls).toEqual(['start', 'firstLoad 2000'])
    expect(server.held()).toBe(0)
  })

  it('are not waited for once the first load has ended, though there be none: the service is asked', async () => {
    const definitions = memoryDefinitions()
    const server = serverFixture({}, definitions)
    server.answer = () => [200, answered({ a: 'told' }).decide]
    definitions.put(undefined)
    expect(await server.verbs.getFeatureFlag('a', 'u')).toBe('told')
    definitions.put({ flags: [flagOf('a')] })
    expect(await server.verbs.getFeatureFlag('a', 'u')).toBe(true)
    definitions.put(undefined)
    expect(await server.verbs.getFeatureFlag('a', 'u')).toBe('told')
    expect(definitions.calls.filter((call) => call.startsWith('firstLoad'))).toHaveLength(1)
  })

  it('are reloaded, and told to be ready, by the loader', async () => {
    const definitions = memoryDefinitions()
    const { verbs, held } = serverFixture({}, definitions)
    expect(verbs.isLocalEvaluationReady()).toBe(false)
    const ready = verbs.waitForLocalEvaluationReady()
    expect(held()).toBe(1)
    definitions.put({ flags: [] })
    expect(verbs.isLocalEvaluationReady()).toBe(true)
    expect(await ready).toBe(true)
    expect(held()).toBe(0)
    await verbs.waitForLocalEvaluationReady(50)
    const reload = verbs.reloadFeatureFlags()
    expect(held()).toBe(1)
    await reload
    expect(definitions.calls).toEqual(['start', 'ready 30000', 'ready 50', 'reload'])
  })

  it('need not be: nothing is ready then, and nothing to reload', async () => {
    const { verbs, requests } = serverFixture()
    expect(verbs.isLocalEvaluationReady()).toBe(false)
    expect(await verbs.waitForLocalEvaluationReady()).toBe(false)
    await verbs.reloadFeatureFlags()
    expect(requests).toHaveLength(0)
  })
})

describe('reads that others got wrong', () => {
  it('ask for the distinct id 0, and for nobody where what is given is no id, whoever the request is', async () => {
    const server = serverFixture()
    server.context = { distinctId: 'of the request' }
    server.answer = () => [200, answered({ a: true }).decide]
    expect(await server.verbs.getFeatureFlag('a', 0 as never)).toBe(true)
    for (const none of ['', ' ', NaN, {}]) expect(await server.verbs.getFeatureFlag('a', none as never)).toBeUndefined()
    expect(server.bodies().map(({ distinct_id: id }) => id)).toEqual(['0'])
    expect(server.events.map(({ distinctId }) => distinctId)).toEqual(['0'])
  })

  it('take a group key that is no id for no group', async () => {
    const server = serverFixture()
    await server.verbs.getFeatureFlag('a', 'u', { groups: { company: NaN, team: 0, place: ' ' } })
    expect(server.bodies()[0]).toMatchObject({ groups: { team: '0' } })
  })

  // behaviour 16: "missing group context" is inconclusive, of one condition as of the whole flag.
  it("ask the service where a condition that is a group's was passed over for want of that group", async () => {
    const filters = { groups: [{ aggregation_group_type_index: 0, properties: [], rollout_percentage: 100 }] }
    const definitions = { flags: [flagOf('mixed', { filters })], group_type_mapping: { 0: 'company' } }
    const server = serverFixture({}, memoryDefinitions(definitions))
    server.answer = () => [200, answered({ mixed: false }).decide]
    await server.verbs.getFeatureFlag('mixed', 'u')
    expect(server.bodies()).toMatchObject([{ flag_keys_to_evaluate: ['mixed'] }])
    expect(await server.verbs.getFeatureFlag('mixed', 'u', { groups: { company: 'acme' } })).toBe(true)
    expect(server.requests).toHaveLength(1)
  })

  it('heed strictLocalEvaluation where onlyEvaluateLocally is null', async () => {
    const server = serverFixture({ strictLocalEvaluation: true })
    expect(await server.verbs.getFeatureFlag('a', 'u', { onlyEvaluateLocally: null as never })).toBeUndefined()
    expect(server.requests).toEqual([])
  })

  it('report the payload that the service gave, not one of this process', async () => {
    const server = serverFixture()
    server.answer = () => [200, answered({ a: true, b: true }, { payloads: { a: '1', b: '1' } }).decide]
    server.verbs.overrideFeatureFlags({}, { a: 2, b: 2 })
    expect((await server.verbs.getFeatureFlagResult('a', 'u'))?.payload).toBe(2)
    const flags = await server.verbs.evaluateFlags('u')
    expect([flags.isEnabled('b'), flags.getFlagPayload('b')]).toEqual([true, 2])
    expect(server.events.map(({ properties }) => properties['$feature_flag_payload'])).toEqual([1, 1])
  })
})
