import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createEvaluatedFlags } from '../../../src/flags/node/create-evaluated-flags.ts'
import type { EvaluatedFlags } from '../../../src/flags/node/evaluated-flags.ts'
import type { KnownFlag } from '../../../src/flags/local-flags.ts'
import { answered, flagFor, flagOf, memoryDefinitions, serverFixture } from './flags-fixture.ts'

const FLAGS = new Map<string, KnownFlag>([
  ['hero', { enabled: true, variant: 'bold', metadata: { payload: '{"n":[1]}' } }],
  ['beta', { enabled: true }],
  ['off', { enabled: false }],
])

const snapshot = (): { readonly flags: EvaluatedFlags; readonly reported: [string, boolean][] } => {
  const reported: [string, boolean][] = []
  return { reported, flags: createEvaluatedFlags('u', FLAGS, (key, flag) => reported.push([key, flag !== undefined])) }
}

describe('evaluated flags', () => {
  it('give values, off ones too, and what is missing; each read is told, payloads are not', () => {
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

  it('never change, whatever a reader does with what it gets', () => {
    const { flags } = snapshot()
    const payload = flags.getFlagPayload('hero') as { n: number[] }
    payload.n.push(2)
    expect(flags.getFlagPayload('hero')).toEqual({ n: [1] })
    expect(() => (flags.keys as string[]).push('x')).toThrow(TypeError)
    expect(() => Object.assign(flags, { getFlag: () => true })).toThrow(TypeError)
    expect(() => Object.assign(flags.eventProperties(), { '$feature/x': true })).toThrow(TypeError)
  })

  it('say what an event tells of them, without a read', () => {
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

  // behaviour.md 16: "`only(keys)`/`onlyAccessed()` pure filters, empty before any read"
  it('are filtered by key and by what was read, in any order of filters', () => {
    const keys = fc.subarray(['hero', 'beta', 'off', 'none'])
    fc.assert(
      fc.property(keys, keys, keys, (read, wanted, later) => {
        const { flags } = snapshot()
        expect(flags.onlyAccessed().keys).toEqual([])
        for (const key of read) flags.getFlag(key)
        const part = flags.only(wanted)
        const expected = flags.keys.filter((key) => read.includes(key) && wanted.includes(key))
        expect(part.onlyAccessed().keys).toEqual(expected)
        expect(flags.onlyAccessed().only(wanted).keys).toEqual(expected)
        for (const key of later) part.getFlag(key)
        expect(flags.onlyAccessed().keys).toEqual(flags.keys.filter((key) => read.includes(key)))
        expect(part.distinctId).toBe('u')
        for (const key of part.keys) expect(part.getFlag(key)).toBe(flags.getFlag(key))
      }),
    )
  })

  it('do not call a flag missing that was filtered out', () => {
    const { flags, reported } = snapshot()
    expect(flags.only(['hero']).getFlag('beta')).toBeUndefined()
    expect(flags.only(['hero']).isEnabled('none')).toBe(false)
    expect(reported).toEqual([])
  })

  it('are made with one request at most, and ask for nothing later', async () => {
    const flags = [flagOf('here'), flagOf('there', flagFor({ plan: 'pro' })), flagOf('too', flagFor({ plan: 'pro' }))]
    const server = serverFixture({}, memoryDefinitions({ flags }))
    server.answer = () => [200, answered({ there: 'x', too: true, here: 'told' }).decide]
    const evaluated = await server.verbs.evaluateFlags('u')
    expect(['here', 'there', 'too', 'none'].map(evaluated.getFlag)).toEqual([true, 'x', true, undefined])
    evaluated.only(['here']).onlyAccessed().eventProperties()
    expect(server.bodies()).toMatchObject([{ flag_keys_to_evaluate: ['there', 'too'] }])
    expect(server.events.map(({ properties }) => properties['$feature_flag_error'])).toEqual([
      undefined,
      undefined,
      undefined,
      'flag_missing',
    ])
  })

  it('keep the values from here when the request fails, and ask for none with onlyEvaluateLocally', async () => {
    const flags = [flagOf('here'), flagOf('there', flagFor({ plan: 'pro' }))]
    const server = serverFixture({ featureFlagsRequestMaxRetries: 0 }, memoryDefinitions({ flags }))
    server.answer = () => 0
    expect((await server.verbs.evaluateFlags('u')).keys).toEqual(['here'])
    expect((await server.verbs.evaluateFlags('u', { onlyEvaluateLocally: true })).keys).toEqual(['here'])
    expect(server.requests).toHaveLength(1)
  })

  it('are for the wanted keys alone, and none without a request for none', async () => {
    const server = serverFixture()
    server.answer = () => [200, answered({ a: true, b: true }).decide]
    expect((await server.verbs.evaluateFlags('u', { flagKeys: ['a'] })).keys).toEqual(['a'])
    expect((await server.verbs.evaluateFlags('u', { flagKeys: [] })).keys).toEqual([])
    expect(server.requests).toHaveLength(1)
  })

  it('stay as they are when the definitions change, and report reads about the user and groups they were made for', async () => {
    const definitions = memoryDefinitions({ flags: [flagOf('a')] })
    const server = serverFixture({}, definitions)
    const evaluated = await server.verbs.evaluateFlags('u', { groups: { company: 'acme' } })
    definitions.put({ flags: [] })
    server.context = { distinctId: 'somebody else' }
    expect(evaluated.getFlag('a')).toBe(true)
    expect(server.events).toMatchObject([{ distinctId: 'u', groups: { company: 'acme' } }])
  })
})
