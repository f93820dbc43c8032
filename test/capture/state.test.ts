import { describe, expect, it } from 'vitest'
import { exchangeIdentity, freshState, isNewer, parseState, rebase, type State } from '../../src/capture/state.ts'

const session = { id: 's', startedAt: 1, activeAt: 1 }
const base = freshState('base', false)
const stored: State = {
  ...freshState('stored', false),
  revision: 7,
  distinctId: 'user-1',
  isIdentified: true,
  superProperties: { plan: 'pro', color: 'red' },
  groups: { company: 'acme' },
  session,
}

describe('a stored state', () => {
  it('is read back as it was written', () => {
    expect(parseState(JSON.stringify(stored))).toEqual(stored)
  })

  it.each([[null], [undefined], [''], ['{'], ['null'], ['7'], ['{}'], ['{"revision":1,"distinctId":"x"}']])(
    'that reads %j is as good as none',
    (text) => {
      expect(parseState(text)).toBeUndefined()
    },
  )

  it('is newer by its revision, then by its activity', () => {
    expect(isNewer(stored, base)).toBe(true)
    expect(isNewer(base, stored)).toBe(false)
    expect(isNewer(base, base)).toBe(false)
    expect(isNewer({ ...base, session }, base)).toBe(true)
    expect(isNewer({ ...base, session }, { ...base, revision: 2 })).toBe(false)
  })
})

describe('a stored state that is found late', () => {
  const change = (more: Partial<State>): State => ({ ...base, revision: base.revision + 1, ...more })

  it('is taken as it is when this page has changed nothing', () => {
    expect(rebase(stored, base, { ...base, session })).toEqual(stored)
  })

  it('keeps its identity under super properties and groups that this page has set', () => {
    const current = change({ superProperties: { color: 'blue' }, groups: { team: 'x' }, hasProfile: true })
    expect(rebase(stored, base, current)).toEqual({
      ...stored,
      revision: 8,
      hasProfile: true,
      superProperties: { plan: 'pro', color: 'blue' },
      groups: { company: 'acme', team: 'x' },
    })
  })

  it('gives way to an identity that this page has set', () => {
    const current = change({ distinctId: 'user-2', isIdentified: true })
    expect(rebase(stored, base, current)).toMatchObject({ distinctId: 'user-2', anonymousId: 'stored', revision: 8 })
  })

  it('gives way to a consent that this page has changed, in either direction', () => {
    expect(rebase(stored, base, change({ isOptedOut: true })).isOptedOut).toBe(true)
    const out = { ...base, isOptedOut: true }
    expect(rebase({ ...stored, isOptedOut: true }, out, change({ isOptedOut: false })).isOptedOut).toBe(false)
  })

  it('keeps its consent when this page has only reset, and its device id unless that was reset too', () => {
    const reset = { ...freshState('new', false, base.deviceId), revision: 2 }
    expect(rebase({ ...stored, isOptedOut: true }, base, reset)).toEqual({
      ...reset,
      deviceId: 'stored',
      isOptedOut: true,
      revision: 8,
    })
    expect(rebase(stored, base, { ...freshState('new', false), revision: 2 }).deviceId).toBe('new')
  })
})

describe('a held event', () => {
  const held = (distinctId: string, properties: object): string =>
    JSON.stringify({
      uuid: 'u',
      event: 'a',
      distinct_id: distinctId,
      timestamp: 't',
      properties: { distinct_id: distinctId, $device_id: 'base', $session_id: 'fresh', ...properties },
    })
  const exchange = (json: string): { distinct_id: string; properties: Record<string, unknown> } =>
    JSON.parse(exchangeIdentity(json, { ...base, session: { ...session, id: 'fresh' } }, stored))

  it('gets the stored identity, session, super properties and groups; its own win', () => {
    const json = held('base', { color: 'own', $is_identified: false, $process_person_profile: false })
    expect(exchange(json)).toEqual({
      uuid: 'u',
      event: 'a',
      distinct_id: 'user-1',
      timestamp: 't',
      properties: {
        plan: 'pro',
        color: 'own',
        distinct_id: 'user-1',
        $device_id: 'stored',
        $session_id: 's',
        $is_identified: true,
        $process_person_profile: true,
        $groups: { company: 'acme' },
      },
    })
  })

  it('keeps an identity that the page gave it, and names the stored one as the previous', () => {
    const { distinct_id, properties } = exchange(held('user-2', { $anon_distinct_id: 'base', $is_identified: true }))
    expect(distinct_id).toBe('user-2')
    expect(properties).toMatchObject({ distinct_id: 'user-2', $anon_distinct_id: 'user-1', $is_identified: true })
  })
})
