import { describe, expect, it } from 'vitest'
import type { FlagDefinition } from '../../../src/wire/definition.ts'
import { flagResponses, detailOf, flagFor, flagOf, memoryDefinitions, nodeFlagsFixture } from './flags-fixture.ts'

const VARIANT: Partial<FlagDefinition> = {
  version: 4,
  filters: {
    groups: [{}],
    multivariate: { variants: [{ key: 'bold', rollout_percentage: 100 }] },
    payloads: { bold: '{"colour":"red"}' },
  },
}
const HERO = { key: 'hero', enabled: true, variant: 'bold', payload: { colour: 'red' } }

describe('reading one flag', () => {
  it('has the type boolean only with a default value', async () => {
    const { verbs } = nodeFlagsFixture()
    const on: boolean = await verbs.isFeatureEnabled('a', 'u', { defaultValue: true })
    // @ts-expect-error -- the value is undefined while the flag is unknown
    const unknown: boolean = await verbs.isFeatureEnabled('a', 'u')
    expect([on, unknown]).toEqual([true, undefined])
  })

  it('evaluates a flag with the loaded definitions, without a request', async () => {
    const fixture = nodeFlagsFixture(
      {},
      memoryDefinitions({ flags: [flagOf('hero', VARIANT), flagOf('off', { active: false })] }),
    )
    expect(await fixture.verbs.getFeatureFlag('hero', 'u')).toBe('bold')
    expect(await fixture.verbs.isFeatureEnabled('hero', 'u')).toBe(true)
    expect(await fixture.verbs.getFeatureFlagPayload('hero', 'u')).toEqual({ colour: 'red' })
    expect(await fixture.verbs.getFeatureFlagResult('hero', 'u')).toEqual(HERO)
    expect(await fixture.verbs.getFeatureFlag('off', 'u')).toBe(false)
    expect(fixture.requests).toHaveLength(0)
  })

  it('requests the value if no definitions are loaded', async () => {
    const fixture = nodeFlagsFixture()
    fixture.respond = () => [200, flagResponses({ hero: 'bold' }, { payloads: { hero: '{"colour":"red"}' } }).decide]
    expect(await fixture.verbs.getFeatureFlagResult('hero', 'u')).toEqual(HERO)
    expect(await fixture.verbs.getFeatureFlagPayload('hero', 'u')).toEqual({ colour: 'red' })
  })

  it.each([undefined, null, '', ' ', 7, {}])('refuses the key %j with a warning', async (none) => {
    const fixture = nodeFlagsFixture()
    const key = none as string
    expect(await fixture.verbs.getFeatureFlag(key, 'u')).toBeUndefined()
    expect((await fixture.verbs.evaluateFlags('u', { flagKeys: [key] })).keys).toEqual([])
    const refused = ['a feature flag was not read: its key must be a string that is not blank']
    expect(fixture.warnings).toEqual([refused, refused])
    expect([fixture.requests, fixture.events]).toEqual([[], []])
  })

  it('ignores invalid keys in flagKeys, and a flagKeys that is not an array', async () => {
    const fixture = nodeFlagsFixture()
    await fixture.verbs.getFeatureFlags('u', { flagKeys: [undefined as never, 'a'] })
    expect(await fixture.verbs.getFeatureFlags('u', { flagKeys: 'beta' as never })).toEqual({})
    expect(fixture.bodies().map((body) => body['flag_keys_to_evaluate'])).toEqual([['a']])
    expect(fixture.warnings.at(-1)).toEqual(['feature flags were not read: flagKeys must be an array of strings'])
  })

  // Specification, section 16: "Order: overrides, local definitions, then remote unless `onlyEvaluateLocally`. Inconclusive (unknown property, unknown
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
    ['a malformed definition', { id: 1, key: 'a', active: true, filters: 'none' } as never],
    ['a missing definition', flagOf('other')],
  ])('requests only the flag with %s', async (_title, definition) => {
    const flags = [definition, flagOf('b')]
    const fixture = nodeFlagsFixture({}, memoryDefinitions({ flags, group_type_mapping: { 0: 'company' } }))
    fixture.respond = () => [200, flagResponses({ a: 'remote' }).decide]
    expect(await fixture.verbs.getFeatureFlag('a', 'u')).toBe('remote')
    expect(await fixture.verbs.getFeatureFlag('b', 'u')).toBe(true)
    expect(fixture.bodies()).toMatchObject([{ flag_keys_to_evaluate: ['a'] }])
    expect(await fixture.verbs.getFeatureFlag('a', 'u', { onlyEvaluateLocally: true })).toBeUndefined()
    expect(fixture.requests).toHaveLength(1)
  })

  it('evaluates group properties of a group with a numeric key', async () => {
    const properties = [{ key: 'seats', type: 'group', operator: 'gt', value: 5 }]
    const flags = [flagOf('a', { filters: { aggregation_group_type_index: 0, groups: [{ properties }] } })]
    const fixture = nodeFlagsFixture({}, memoryDefinitions({ flags, group_type_mapping: { 0: 'company' } }))
    const groupProperties = { company: { seats: 6 } }
    expect(await fixture.verbs.getFeatureFlag('a', 'u', { groups: { company: 7 }, groupProperties })).toBe(true)
    expect(fixture.requests).toHaveLength(0)
  })

  it('sends no request with strictLocalEvaluation, unless the read overrides it', async () => {
    const fixture = nodeFlagsFixture({ strictLocalEvaluation: true }, memoryDefinitions({ flags: [flagOf('a')] }))
    fixture.respond = () => [200, flagResponses({ b: true }).decide]
    expect(await fixture.verbs.getFeatureFlag('b', 'u')).toBeUndefined()
    expect(fixture.requests).toHaveLength(0)
    expect(await fixture.verbs.getFeatureFlag('b', 'u', { onlyEvaluateLocally: false })).toBe(true)
  })

  // Specification, section 14: `isFeatureEnabled(key, {defaultValue})`. "(better than the field) node ignores `defaultValue`."
  it('returns defaultValue from isFeatureEnabled() only for an unknown flag', async () => {
    const fixture = nodeFlagsFixture(
      {},
      memoryDefinitions({ flags: [flagOf('hero', VARIANT), flagOf('off', { active: false })] }),
    )
    const { isFeatureEnabled } = fixture.verbs
    expect(await isFeatureEnabled('hero', 'u', { defaultValue: false })).toBe(true)
    expect(await isFeatureEnabled('off', 'u', { defaultValue: true })).toBe(false)
    expect(await isFeatureEnabled('none', 'u', { defaultValue: true })).toBe(true)
    expect(await isFeatureEnabled('none', 'u')).toBeUndefined()
  })

  it.each(['constructor', '__proto__', 'toString'])(
    'returns undefined for a missing flag with the name %s',
    async (key) => {
      const fixture = nodeFlagsFixture({}, memoryDefinitions({ flags: [flagOf('a')] }))
      fixture.respond = () => [200, flagResponses({ a: true }).decide]
      expect(await fixture.verbs.getFeatureFlag(key, 'u')).toBeUndefined()
      expect(await fixture.verbs.getFeatureFlagPayload(key, 'u')).toBeUndefined()
      expect((await fixture.verbs.evaluateFlags('u')).getFlag(key)).toBeUndefined()
    },
  )

  it('evaluates the other flags when one definition is malformed', async () => {
    const bad = [null, 7, { key: 'a' }, { key: 'b', active: true, filters: { groups: 3 } }, { key: 'c', active: 'yes' }]
    const definitions = memoryDefinitions({ flags: [...(bad as never[]), flagOf('good')] })
    const fixture = nodeFlagsFixture({ strictLocalEvaluation: true }, definitions)
    expect(await fixture.verbs.getFeatureFlags('u')).toEqual({ good: true })
  })
})

describe('the distinct id of a read', () => {
  // Specification, section 21: "Flags without identity in context: empty, no request, no event. (better than the field) node's single-flag
  // getters cannot take the id from the context."
  it('defaults to the id of the request context', async () => {
    const fixture = nodeFlagsFixture({}, memoryDefinitions({ flags: [flagOf('me', flagFor({ distinct_id: 'ada' }))] }))
    fixture.context = { distinctId: 'ada' }
    expect(await fixture.verbs.getFeatureFlag('me')).toBe(true)
    expect(await fixture.verbs.getFeatureFlag('me', 'bob')).toBe(false)
    expect((await fixture.verbs.evaluateFlags()).distinctId).toBe('ada')
    expect(fixture.events.map(({ distinctId }) => distinctId)).toEqual(['ada', 'bob'])
  })

  it('prevents values, requests and events if it is missing, with one warning', async () => {
    const fixture = nodeFlagsFixture({}, memoryDefinitions({ flags: [flagOf('a')] }))
    expect(await fixture.verbs.getFeatureFlag('a')).toBeUndefined()
    expect(await fixture.verbs.getFeatureFlag('other')).toBeUndefined()
    expect(await fixture.verbs.getFeatureFlags()).toEqual({})
    const flags = await fixture.verbs.evaluateFlags()
    expect(flags.keys).toEqual([])
    expect(flags.getFlag('a')).toBeUndefined()
    expect(flags.eventProperties()).toEqual({})
    expect(fixture.requests).toHaveLength(0)
    expect(fixture.events).toHaveLength(0)
    expect(fixture.warnings).toHaveLength(1)
  })

  it('is converted to a string if it is a number', async () => {
    const fixture = nodeFlagsFixture({}, memoryDefinitions({ flags: [flagOf('me', flagFor({ distinct_id: '42' }))] }))
    expect(await fixture.verbs.getFeatureFlag('me', 42)).toBe(true)
  })

  it('may come with options that throw: the read resolves', async () => {
    const fixture = nodeFlagsFixture({}, memoryDefinitions({ flags: [flagOf('a')] }))
    const hostile = {
      get groups(): never {
        throw new Error('no groups')
      },
    }
    expect(await fixture.verbs.getFeatureFlag('a', 'u', hostile)).toBeUndefined()
    expect(await fixture.verbs.getFeatureFlags('u', hostile)).toEqual({})
    expect(await fixture.verbs.getFeatureFlag('a', 'u', null as never)).toBe(true)
    expect(await fixture.verbs.getFeatureFlags('u', null as never)).toEqual({ a: true })
  })
})

describe('reading all flags', () => {
  const definitions = () =>
    memoryDefinitions({
      flags: [flagOf('hero', VARIANT), flagOf('off', { active: false }), flagOf('pro', flagFor({ plan: 'pro' }))],
    })

  // Specification, section 16: "one remote request at most, immutable, locally resolved values never overwritten by remote, remote failure keeps them"
  it('evaluates locally and requests only inconclusive flags, in one request', async () => {
    const fixture = nodeFlagsFixture({}, definitions())
    fixture.respond = () => [200, flagResponses({ pro: true, hero: 'remote', other: true }).decide]
    expect(await fixture.verbs.getFeatureFlags('u')).toEqual({ hero: 'bold', off: false, pro: true })
    expect(fixture.bodies()).toMatchObject([{ flag_keys_to_evaluate: ['pro'] }])
    expect(await fixture.verbs.getFeatureFlags('u', { personProperties: { plan: 'free' } })).toEqual({
      hero: 'bold',
      off: false,
      pro: false,
    })
    expect(fixture.requests).toHaveLength(1)
  })

  it('keeps local values when the request fails', async () => {
    const fixture = nodeFlagsFixture({}, definitions())
    fixture.respond = () => 500
    expect(await fixture.verbs.getFeatureFlagsAndPayloads('u')).toEqual({
      flags: { hero: 'bold', off: false },
      payloads: { hero: { colour: 'red' } },
    })
  })

  it('returns only flagKeys, and requests the whole list when one has no definition', async () => {
    const fixture = nodeFlagsFixture({}, definitions())
    fixture.respond = () => [200, flagResponses({ new: 'x', pro: true }).decide]
    expect(await fixture.verbs.getFeatureFlags('u', { flagKeys: ['new', 'hero', 'new'] })).toEqual({
      hero: 'bold',
      new: 'x',
    })
    expect(fixture.bodies()).toMatchObject([{ flag_keys_to_evaluate: ['new', 'hero'] }])
    expect(await fixture.verbs.getFeatureFlags('u', { flagKeys: [] })).toEqual({})
    expect(fixture.requests).toHaveLength(1)
  })

  it('returns all flags of the service if no definitions are loaded', async () => {
    const fixture = nodeFlagsFixture()
    fixture.respond = () => [200, flagResponses({ a: true, b: 'x' }, { payloads: { b: '1' } }).decide]
    expect(await fixture.verbs.getFeatureFlagsAndPayloads('u')).toEqual({
      flags: { a: true, b: 'x' },
      payloads: { b: 1 },
    })
    expect(fixture.bodies()[0]).not.toHaveProperty('flag_keys_to_evaluate')
    await fixture.verbs.getFeatureFlags('u', { flagKeys: ['a'] })
    expect(fixture.bodies()[1]).toMatchObject({ flag_keys_to_evaluate: ['a'] })
    expect(fixture.events).toHaveLength(0)
  })

  it('requests all flags when the definitions are empty', async () => {
    const fixture = nodeFlagsFixture({}, memoryDefinitions({ flags: [] }))
    fixture.respond = () => [200, flagResponses({ a: true }).decide]
    expect(await fixture.verbs.getFeatureFlags('u')).toEqual({ a: true })
    expect(fixture.bodies()[0]).not.toHaveProperty('flag_keys_to_evaluate')
  })

  // Specification, section 0: "Quota: `quotaLimited` contains `feature_flags`, and flags and payloads are empty objects."
  it('returns only local values when the quota is exceeded', async () => {
    const fixture = nodeFlagsFixture({}, definitions())
    fixture.respond = () => [200, flagResponses({}, { quotaLimited: ['feature_flags'] }).flags]
    expect(await fixture.verbs.getFeatureFlags('u')).toEqual({ hero: 'bold', off: false })
  })

  it('omits a flag that the service could not compute', async () => {
    const fixture = nodeFlagsFixture({ flagsApi: 'flags' })
    const flags = { a: detailOf(true), b: { ...detailOf(false), failed: true } }
    fixture.respond = () => [200, { flags, errorsWhileComputingFlags: true }]
    expect(await fixture.verbs.getFeatureFlags('u')).toEqual({ a: true })
  })
})

describe('flags for other runtimes and contexts', () => {
  const flags = [
    flagOf('page', { evaluation_runtime: 'client' }),
    flagOf('server', { evaluation_runtime: 'server' }),
    flagOf('both', { evaluation_runtime: 'all' }),
    flagOf('shop', { evaluation_contexts: ['shop', 'admin'] }),
    flagOf('docs', { evaluation_tags: ['docs'] }),
    flagOf('kept', { evaluation_runtime: 'client', ensure_experience_continuity: true }),
  ]

  it('are neither evaluated nor requested', async () => {
    const fixture = nodeFlagsFixture({ evaluationContexts: ['shop'] }, memoryDefinitions({ flags }))
    expect(await fixture.verbs.getFeatureFlags('u')).toEqual({ server: true, both: true, shop: true })
    for (const key of ['page', 'docs', 'kept']) expect(await fixture.verbs.getFeatureFlag(key, 'u')).toBeUndefined()
    expect(fixture.requests).toHaveLength(0)
  })

  it('are omitted only for their runtime if no contexts are configured', async () => {
    for (const evaluationContexts of [undefined, []]) {
      const fixture = nodeFlagsFixture({ evaluationContexts }, memoryDefinitions({ flags }))
      expect(Object.keys(await fixture.verbs.getFeatureFlags('u'))).toEqual(['server', 'both', 'shop', 'docs'])
      await fixture.verbs.getFeatureFlag('unknown', 'u')
      expect(fixture.bodies()[0]).not.toHaveProperty('evaluation_contexts')
    }
  })

  it('are still evaluated for flags that depend on them', async () => {
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
    const fixture = nodeFlagsFixture({}, memoryDefinitions({ flags: [...flags, dependent] }))
    expect(await fixture.verbs.getFeatureFlag('dependent', 'u')).toBe(true)
  })
})

describe('overridden flags', () => {
  it('override values for every user until the next call, without request or event', async () => {
    const fixture = nodeFlagsFixture({}, memoryDefinitions({ flags: [flagOf('hero', VARIANT)] }))
    fixture.verbs.overrideFeatureFlags({ hero: false, other: 'x' }, { other: { n: 1 } })
    expect(await fixture.verbs.getFeatureFlag('hero', 'u')).toBe(false)
    expect(await fixture.verbs.getFeatureFlagResult('other')).toEqual({
      key: 'other',
      enabled: true,
      variant: 'x',
      payload: { n: 1 },
    })
    const all = await fixture.verbs.evaluateFlags('u')
    expect([all.getFlag('hero'), all.getFlag('other'), all.getFlagPayload('other')]).toEqual([false, 'x', { n: 1 }])
    expect(fixture.requests).toHaveLength(0)
    expect(fixture.events).toHaveLength(0)
    for (const none of [undefined, {}]) {
      fixture.verbs.overrideFeatureFlags({ hero: false })
      fixture.verbs.overrideFeatureFlags(none)
      expect(await fixture.verbs.getFeatureFlag('hero', 'u')).toBe('bold')
    }
    expect(all.getFlag('hero')).toBe(false)
  })

  it('are not requested', async () => {
    const fixture = nodeFlagsFixture({}, memoryDefinitions({ flags: [flagOf('a', flagFor({ plan: 'pro' }))] }))
    fixture.verbs.overrideFeatureFlags({ a: 'x', b: true })
    expect(await fixture.verbs.getFeatureFlags('u')).toEqual({ a: 'x', b: true })
    expect(await fixture.verbs.getFeatureFlags('u', { flagKeys: ['a', 'b'] })).toEqual({ a: 'x', b: true })
    expect(fixture.requests).toHaveLength(0)
  })

  it('are omitted unless flagKeys names them', async () => {
    const fixture = nodeFlagsFixture({}, memoryDefinitions({ flags: [flagOf('a'), flagOf('b')] }))
    fixture.verbs.overrideFeatureFlags({ b: 'x', c: 'y' })
    expect(await fixture.verbs.getFeatureFlags('u', { flagKeys: ['a', 'b'] })).toEqual({ a: true, b: 'x' })
  })

  it('may override only the payload of a flag that has a value', async () => {
    const fixture = nodeFlagsFixture({}, memoryDefinitions({ flags: [flagOf('hero', VARIANT)] }))
    fixture.verbs.overrideFeatureFlags({}, { hero: 'text', none: 1 })
    expect(await fixture.verbs.getFeatureFlagResult('hero', 'u')).toEqual({ ...HERO, payload: 'text' })
    expect(await fixture.verbs.getFeatureFlagsAndPayloads('u')).toEqual({
      flags: { hero: 'bold' },
      payloads: { hero: 'text' },
    })
  })

  it('ignore values that are neither boolean nor string', async () => {
    const fixture = nodeFlagsFixture({}, memoryDefinitions({ flags: [flagOf('a'), flagOf('b')] }))
    fixture.verbs.overrideFeatureFlags({ a: undefined, b: null } as never)
    expect(await fixture.verbs.getFeatureFlags('u')).toEqual({ a: true, b: true })
  })
})

describe('the definitions loader', () => {
  it('starts and shuts down with the flags', async () => {
    const definitions = memoryDefinitions()
    const fixture = nodeFlagsFixture({}, definitions)
    expect(definitions.calls).toEqual(['start'])
    await fixture.flags.shutdown()
    expect(definitions.calls).toEqual(['start', 'shutdown'])
  })

  // Specification, section 25: "The first load of definitions must not block capture; the first flag read waits for it (bounded)."
  it('delays the first reads, with one timeout for all of them', async () => {
    const definitions = memoryDefinitions()
    const fixture = nodeFlagsFixture({ featureFlagsRequestTimeoutMs: 2_000 }, definitions)
    const reads = [fixture.verbs.getFeatureFlag('a', 'u'), fixture.verbs.getFeatureFlags('u')]
    await fixture.clock.advance(0)
    expect(fixture.requests).toHaveLength(0)
    expect(fixture.keepAlives()).toBe(1)
    definitions.set({ flags: [flagOf('a')] })
    expect(await Promise.all(reads)).toEqual([true, { a: true }])
    expect(definitions.calls).toEqual(['start', 'waitForFirstLoad 2000'])
    expect(fixture.keepAlives()).toBe(0)
  })

  it('does not delay reads after the first load, even without definitions', async () => {
    const definitions = memoryDefinitions()
    const fixture = nodeFlagsFixture({}, definitions)
    fixture.respond = () => [200, flagResponses({ a: 'remote' }).decide]
    definitions.set(undefined)
    expect(await fixture.verbs.getFeatureFlag('a', 'u')).toBe('remote')
    definitions.set({ flags: [flagOf('a')] })
    expect(await fixture.verbs.getFeatureFlag('a', 'u')).toBe(true)
    definitions.set(undefined)
    expect(await fixture.verbs.getFeatureFlag('a', 'u')).toBe('remote')
    expect(definitions.calls.filter((call) => call.startsWith('waitForFirstLoad'))).toHaveLength(1)
  })

  it('reloads definitions, and reports when they are ready', async () => {
    const definitions = memoryDefinitions()
    const { verbs, keepAlives } = nodeFlagsFixture({}, definitions)
    expect(verbs.isLocalEvaluationReady()).toBe(false)
    const ready = verbs.waitForLocalEvaluationReady()
    expect(keepAlives()).toBe(1)
    definitions.set({ flags: [] })
    expect(verbs.isLocalEvaluationReady()).toBe(true)
    expect(await ready).toBe(true)
    expect(keepAlives()).toBe(0)
    await verbs.waitForLocalEvaluationReady(50)
    const reload = verbs.reloadFeatureFlags()
    expect(keepAlives()).toBe(1)
    await reload
    expect(definitions.calls).toEqual(['start', 'waitUntilReady 30000', 'waitUntilReady 50', 'reload'])
  })

  it('may be missing: definitions are then never ready', async () => {
    const { verbs, requests } = nodeFlagsFixture()
    expect(verbs.isLocalEvaluationReady()).toBe(false)
    expect(await verbs.waitForLocalEvaluationReady()).toBe(false)
    await verbs.reloadFeatureFlags()
    expect(requests).toHaveLength(0)
  })
})

describe('reads with unusual input', () => {
  it("accept the distinct id 0, and do not replace an invalid id by the context's", async () => {
    const fixture = nodeFlagsFixture()
    fixture.context = { distinctId: 'context-user' }
    fixture.respond = () => [200, flagResponses({ a: true }).decide]
    expect(await fixture.verbs.getFeatureFlag('a', 0)).toBe(true)
    for (const none of ['', ' ', NaN, {}])
      expect(await fixture.verbs.getFeatureFlag('a', none as never)).toBeUndefined()
    expect(fixture.bodies().map(({ distinct_id: id }) => id)).toEqual(['0'])
    expect(fixture.events.map(({ distinctId }) => distinctId)).toEqual(['0'])
  })

  it('ignore an invalid group key', async () => {
    const fixture = nodeFlagsFixture()
    await fixture.verbs.getFeatureFlag('a', 'u', { groups: { company: NaN, team: 0, place: ' ' } })
    expect(fixture.bodies()[0]).toMatchObject({ groups: { team: '0' } })
  })

  // Specification, section 16: "missing group context" is inconclusive, of one condition as of the whole flag.
  it('request a flag with a group condition if the group is missing', async () => {
    const filters = { groups: [{ aggregation_group_type_index: 0, properties: [], rollout_percentage: 100 }] }
    const definitions = { flags: [flagOf('mixed', { filters })], group_type_mapping: { 0: 'company' } }
    const fixture = nodeFlagsFixture({}, memoryDefinitions(definitions))
    fixture.respond = () => [200, flagResponses({ mixed: false }).decide]
    await fixture.verbs.getFeatureFlag('mixed', 'u')
    expect(fixture.bodies()).toMatchObject([{ flag_keys_to_evaluate: ['mixed'] }])
    expect(await fixture.verbs.getFeatureFlag('mixed', 'u', { groups: { company: 'acme' } })).toBe(true)
    expect(fixture.requests).toHaveLength(1)
  })

  it('use strictLocalEvaluation if onlyEvaluateLocally is null', async () => {
    const fixture = nodeFlagsFixture({ strictLocalEvaluation: true })
    expect(await fixture.verbs.getFeatureFlag('a', 'u', { onlyEvaluateLocally: null as never })).toBeUndefined()
    expect(fixture.requests).toEqual([])
  })

  it('report the payload of the service, not an overridden one', async () => {
    const fixture = nodeFlagsFixture()
    fixture.respond = () => [200, flagResponses({ a: true, b: true }, { payloads: { a: '1', b: '1' } }).decide]
    fixture.verbs.overrideFeatureFlags({}, { a: 2, b: 2 })
    expect((await fixture.verbs.getFeatureFlagResult('a', 'u'))?.payload).toBe(2)
    const flags = await fixture.verbs.evaluateFlags('u')
    expect([flags.isEnabled('b'), flags.getFlagPayload('b')]).toEqual([true, 2])
    expect(fixture.events.map(({ properties }) => properties['$feature_flag_payload'])).toEqual([1, 1])
  })
})
