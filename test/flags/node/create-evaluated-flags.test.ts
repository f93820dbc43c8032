import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { noop } from '../../../src/lib/noop.ts'
import { createEvaluatedFlags } from '../../../src/flags/node/create-evaluated-flags.ts'
import type { EvaluatedFlags } from '../../../src/flags/node/evaluated-flags.ts'
import type { ResolvedFlag } from '../../../src/flags/local-flags.ts'
import { flagResponses, flagFor, flagOf, memoryDefinitions, nodeFlagsFixture } from './flags-fixture.ts'

const FLAGS = new Map<string, ResolvedFlag>([
  ['hero', { enabled: true, variant: 'bold', metadata: { payload: '{"n":[1]}' } }],
  ['beta', { enabled: true }],
  ['off', { enabled: false }],
])

const snapshot = (): { readonly flags: EvaluatedFlags; readonly reported: [string, boolean][] } => {
  const reported: [string, boolean][] = []
  return {
    reported,
    flags: createEvaluatedFlags('u', FLAGS, (key, flag) => reported.push([key, flag !== undefined]), noop),
  }
}

describe('createEvaluatedFlags', () => {
  it('reads silently with peekFlag(): unreported and not accessed', () => {
    const { flags, reported } = snapshot()
    expect(['hero', 'beta', 'off', 'gone'].map(flags.peekFlag)).toEqual(['bold', true, false, undefined])
    expect(reported).toEqual([])
    expect(flags.onlyAccessed().keys).toEqual([])
  })

  it('warns of unknown keys in only()', () => {
    const warnings: string[] = []
    const flags = createEvaluatedFlags('u', FLAGS, noop, (message) => warnings.push(message))
    expect(flags.only(['hero', 'haro']).keys).toEqual(['hero'])
    expect(warnings).toEqual(['only() got unknown flags: haro'])
  })

  it('returns values, and reports each read of a value, but no read of a payload', () => {
    const { flags, reported } = snapshot()
    expect(flags.keys).toEqual(['hero', 'beta', 'off'])
    expect([flags.getFlag('hero'), flags.getFlag('off'), flags.getFlag('none')]).toEqual(['bold', false, undefined])
    expect(['hero', 'beta', 'off', 'none'].map(flags.isEnabled)).toEqual([true, true, false, false])
    expect([flags.getFlagPayload('hero'), flags.getFlagPayload('beta')]).toEqual([{ n: [1] }, undefined])
    expect(reported).toEqual([
      ['hero', true],
      ['off', true],
      ['none', false],
      ['hero', true],
      ['beta', true],
      ['off', true],
      ['none', false],
    ])
  })

  it('cannot be changed through its members or results', () => {
    const { flags } = snapshot()
    const payload = flags.getFlagPayload('hero') as { n: number[] }
    expect(flags.getFlagPayload('hero')).toBe(payload)
    payload.n.push(2)
    expect(flags.getFlagPayload('hero')).toEqual({ n: [1] })
    expect(() => (flags.keys as string[]).push('x')).toThrow(TypeError)
    expect(() => Object.assign(flags, { getFlag: () => true })).toThrow(TypeError)
    expect(() => Object.assign(flags.eventProperties(), { '$feature/x': true })).toThrow(TypeError)
  })

  it('returns event properties without reporting a read', () => {
    const { flags, reported } = snapshot()
    expect(flags.eventProperties()).toEqual({
      '$feature/hero': 'bold',
      '$feature/beta': true,
      '$feature/off': false,
      $active_feature_flags: ['hero', 'beta'],
    })
    expect(flags.only(['off']).eventProperties()).toEqual({ '$feature/off': false, $active_feature_flags: [] })
    expect(flags.only([]).eventProperties()).toEqual({})
    expect(reported).toEqual([])
    expect(flags.onlyAccessed().keys).toEqual([])
  })

  // Specification, section 16: "`only(keys)`/`onlyAccessed()` pure filters, empty before any read"
  it('filters by key and by access', () => {
    const keys = fc.subarray(['hero', 'beta', 'off', 'none'])
    fc.assert(
      fc.property(keys, keys, keys, (readKeys, filterKeys, laterKeys) => {
        const { flags } = snapshot()
        expect(flags.onlyAccessed().keys).toEqual([])
        for (const key of readKeys) flags.getFlag(key)
        const filtered = flags.only(filterKeys)
        const expected = flags.keys.filter((key) => readKeys.includes(key) && filterKeys.includes(key))
        expect(filtered.onlyAccessed().keys).toEqual(expected)
        expect(flags.onlyAccessed().only(filterKeys).keys).toEqual(expected)
        for (const key of laterKeys) filtered.getFlag(key)
        expect(flags.onlyAccessed().keys).toEqual(flags.keys.filter((key) => readKeys.includes(key)))
        expect(filtered.distinctId).toBe('u')
        for (const key of filtered.keys) expect(filtered.getFlag(key)).toBe(flags.getFlag(key))
      }),
    )
  })

  it('does not report a filtered-out flag as missing', () => {
    const { flags, reported } = snapshot()
    expect(flags.only(['hero']).getFlag('beta')).toBeUndefined()
    expect(flags.only(['hero']).isEnabled('none')).toBe(false)
    expect(reported).toEqual([])
  })

  it('needs at most one request, and none for later reads', async () => {
    const flags = [flagOf('local'), flagOf('remote', flagFor({ plan: 'pro' })), flagOf('too', flagFor({ plan: 'pro' }))]
    const fixture = nodeFlagsFixture({}, memoryDefinitions({ flags }))
    fixture.respond = () => [200, flagResponses({ remote: 'x', too: true, local: 'ignored' }).decide]
    const evaluated = await fixture.verbs.evaluateFlags('u')
    expect(['local', 'remote', 'too', 'none'].map(evaluated.getFlag)).toEqual([true, 'x', true, undefined])
    evaluated.only(['local']).onlyAccessed().eventProperties()
    expect(fixture.bodies()).toMatchObject([{ flag_keys_to_evaluate: ['remote', 'too'] }])
    expect(fixture.events.map(({ properties }) => properties['$feature_flag_error'])).toEqual([
      undefined,
      undefined,
      undefined,
      'flag_missing',
    ])
  })

  it('keeps local values if the request fails or onlyEvaluateLocally is set', async () => {
    const flags = [flagOf('local'), flagOf('remote', flagFor({ plan: 'pro' }))]
    const fixture = nodeFlagsFixture({ featureFlagsRequestMaxRetries: 0 }, memoryDefinitions({ flags }))
    fixture.respond = () => 0
    expect((await fixture.verbs.evaluateFlags('u')).keys).toEqual(['local'])
    expect((await fixture.verbs.evaluateFlags('u', { onlyEvaluateLocally: true })).keys).toEqual(['local'])
    expect(fixture.requests).toHaveLength(1)
  })

  it('contains only flagKeys, and needs no request for an empty list', async () => {
    const fixture = nodeFlagsFixture()
    fixture.respond = () => [200, flagResponses({ a: true, b: true }).decide]
    expect((await fixture.verbs.evaluateFlags('u', { flagKeys: ['a'] })).keys).toEqual(['a'])
    expect((await fixture.verbs.evaluateFlags('u', { flagKeys: [] })).keys).toEqual([])
    expect(fixture.requests).toHaveLength(1)
  })

  it('ignores later definitions and contexts', async () => {
    const definitions = memoryDefinitions({ flags: [flagOf('a')] })
    const fixture = nodeFlagsFixture({}, definitions)
    const evaluated = await fixture.verbs.evaluateFlags('u', { groups: { company: 'acme' } })
    definitions.set({ flags: [] })
    fixture.context = { distinctId: 'other-user' }
    expect(evaluated.getFlag('a')).toBe(true)
    expect(fixture.events).toMatchObject([{ distinctId: 'u', groups: { company: 'acme' } }])
  })
})
