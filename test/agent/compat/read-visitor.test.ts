import { array, assert, constantFrom, dictionary, json, jsonValue, oneof, property, string } from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseConsent, readVisitor } from '../../../src/agent/compat/read-visitor.ts'
import { parseState } from '../../../src/capture/state.ts'
import { CAMPAIGN_PARAMETER } from '../../../src/lib/campaign-parameter.ts'

const ANONYMOUS = { distinct_id: 'anon-1', $device_id: 'device-1', $user_state: 'anonymous' }

const read = (stored: unknown, consent: Parameters<typeof readVisitor>[1] = 0) =>
  readVisitor([JSON.stringify(stored)], consent, 'new-1')

describe('readVisitor', () => {
  it('reads an anonymous visitor', () => {
    expect(read(ANONYMOUS)).toEqual({
      revision: 2,
      distinctId: 'anon-1',
      anonymousId: 'anon-1',
      deviceId: 'device-1',
      isIdentified: false,
      hasProfile: false,
      superProperties: {},
      groups: {},
      isOptedOut: 0,
    })
  })

  it('reads an identified visitor, whose device id is the anonymous one', () => {
    expect(read({ distinct_id: 'ada', $device_id: 'device-1', $user_state: 'identified' })).toMatchObject({
      distinctId: 'ada',
      anonymousId: 'device-1',
      deviceId: 'device-1',
      isIdentified: true,
      hasProfile: true,
    })
  })

  it('takes over no id with which the service stores nothing', () => {
    const long = 'i'.repeat(401)
    expect(read({ ...ANONYMOUS, distinct_id: long })).toBeUndefined()
    expect(read({ distinct_id: 'ada', $device_id: long, $user_state: 'identified' })).toMatchObject({
      distinctId: 'ada',
      deviceId: 'new-1',
    })
    expect(read({ ...ANONYMOUS, $groups: { company: long, [long]: 'acme', team: 'red' } })).toMatchObject({
      groups: { team: 'red' },
    })
  })

  it('never makes the id of an identified visitor that of the device', () => {
    expect(read({ distinct_id: 'ada', $user_state: 'identified' })).toMatchObject({
      distinctId: 'ada',
      deviceId: 'new-1',
      anonymousId: 'new-1',
    })
    expect(read({ distinct_id: 'anon-1' })).toMatchObject({ deviceId: 'anon-1' })
  })

  it.each([{ $epp: true }, { __alias: 'phone' }, { $groups: { company: 'acme' } }])(
    'keeps that an anonymous visitor with %j has a person profile',
    (stored) => {
      expect(read({ ...ANONYMOUS, ...stored })).toMatchObject({ isIdentified: false, hasProfile: true })
    },
  )

  it('takes over what the page has registered, and nothing that the package stores for itself', () => {
    const stored = {
      ...ANONYMOUS,
      plan: 'pro',
      tags: ['a'],
      nothing: null,
      $sesid: [1, 'session', 1],
      $enabled_feature_flags: { beta: true },
      $initial_person_info: { r: '$direct' },
      __alias: 'phone',
      ph_product_tours: [],
    }
    expect(read(stored)!.superProperties).toEqual({ plan: 'pro', tags: ['a'] })
  })

  it('takes over no campaign of an earlier page, which would hide that of a later one', () => {
    expect(
      read({ ...ANONYMOUS, utm_source: 'news', gclid: 'a', gad_source: '1', source: 'own' })!.superProperties,
    ).toEqual({ source: 'own' })
  })

  it('takes over a number as distinct id, as its string', () => {
    expect(read({ ...ANONYMOUS, distinct_id: 42, $user_state: 'identified' })).toMatchObject({ distinctId: '42' })
  })

  it('takes over groups, with numbers as strings', () => {
    expect(read({ ...ANONYMOUS, $groups: { company: 'acme', team: 5, none: null } })!.groups).toEqual({
      company: 'acme',
      team: '5',
    })
    expect(read({ ...ANONYMOUS, $groups: ['acme'] })!.groups).toEqual({})
  })

  it('prefers the last copy, and ignores those that are not JSON objects', () => {
    const copies = [
      JSON.stringify({ ...ANONYMOUS, distinct_id: 'cookie' }),
      '{"distinct_id":',
      '[1]',
      '"text"',
      '',
      null,
    ]
    expect(readVisitor(copies, 0, 'new-1')).toMatchObject({ distinctId: 'cookie', superProperties: {} })
    expect(readVisitor([...copies, '{"distinct_id":"local"}'], 0, 'new-1')).toMatchObject({
      distinctId: 'local',
      deviceId: 'device-1',
    })
  })

  it.each([
    {},
    { distinct_id: '$posthog_cookieless', plan: 'pro' },
    { distinct_id: true },
    { distinct_id: 'null' },
    null,
  ])('knows no visitor of %j, and keeps only a decision about consent', (stored) => {
    expect(read(stored, 0)).toBeUndefined()
    expect(read(stored, 1)).toBeUndefined()
    expect(read(stored, true)).toMatchObject({ distinctId: 'new-1', superProperties: {}, isOptedOut: true })
  })

  it('returns a state that the agent reads, or nothing, whatever is stored', () => {
    const consent = constantFrom(true, false, 0 as const, 1 as const)
    assert(
      property(array(oneof(string(), json()), { maxLength: 3 }), consent, (copies, isOptedOut) => {
        const state = readVisitor(copies, isOptedOut, 'new-1')
        if (state) expect(parseState(JSON.stringify(state))).toMatchObject({ isOptedOut })
        else expect(typeof isOptedOut).toBe('number')
      }),
    )
  })

  it('keeps every other registered property, whatever its name and value', () => {
    const name = string().filter(
      (text) => !/^(\$|__|distinct_id$|ph_product_tours$)/.test(text) && !CAMPAIGN_PARAMETER.test(text),
    )
    const value = jsonValue().filter((item) => item !== null)
    assert(
      property(dictionary(name, value), (properties) => {
        const expected: unknown = JSON.parse(JSON.stringify(properties))
        expect(read({ ...ANONYMOUS, ...properties })!.superProperties).toEqual(expected)
      }),
    )
  })
})

describe('parseConsent', () => {
  it.each([
    ['1', true],
    ['true', true],
    ['"yes"', true],
    ['0', false],
    ['false', false],
    ['"no"', false],
    ['', undefined],
    ['maybe', undefined],
    [null, undefined],
  ])('reads %j as %s', (stored, consent) => {
    expect(parseConsent(stored)).toBe(consent)
  })
})
