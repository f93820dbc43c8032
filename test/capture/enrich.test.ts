import { describe, expect, it } from 'vitest'
import type { OutgoingEvent } from '../../src/capture/before-send.ts'
import { enrichOwn, hasPersonProfile, sharedProperties, withShared } from '../../src/capture/enrich.ts'
import type { EventInput } from '../../src/capture/enrich.ts'
import { freshState } from '../../src/capture/state.ts'
import type { State } from '../../src/capture/state.ts'

const fresh = freshState('anonymous', false)

const session = { id: 'session', startedAt: 0, activeAt: 0, entry: { $session_entry_pathname: '/first' } }

const event = (properties: object, state: State = fresh, more: Partial<EventInput> = {}): OutgoingEvent => {
  const input: EventInput = {
    uuid: 'u',
    name: 'a',
    at: Date.UTC(2026, 0, 1),
    properties: { ...properties },
    distinctId: undefined,
    isGeoipDisabled: undefined,
    automatic: { $lib: 'web', a: 'automatic', b: 'automatic', c: 'automatic', d: 'automatic' },
    flags: { '$feature/beta': true, $active_feature_flags: ['beta'] },
    ofSession: {},
    ...more,
  }
  const own = enrichOwn(input, state, session, 'window', 'identified_only')
  return withShared(own, sharedProperties(input, state, session), input.only)
}

describe('an event', () => {
  it('carries its envelope, and the distinct id in both places', () => {
    const made = event({})
    expect(made).toMatchObject({
      uuid: 'u',
      event: 'a',
      distinct_id: 'anonymous',
      timestamp: '2026-01-01T00:00:00.000Z',
    })
    expect(made.properties).toMatchObject({
      distinct_id: 'anonymous',
      $device_id: 'anonymous',
      $session_id: 'session',
      $session_entry_pathname: '/first',
      $window_id: 'window',
      $is_identified: false,
      $process_person_profile: false,
      '$feature/beta': true,
      $active_feature_flags: ['beta'],
    })
  })

  it('lets the caller win over super properties, those of the session first, and these over automatic ones', () => {
    const state = { ...fresh, superProperties: { b: 'super', c: 'super', d: 'super' } }
    const { properties } = event({ d: 'caller' }, state, { ofSession: { c: 'session', d: 'session' } })
    expect(properties).toMatchObject({ a: 'automatic', b: 'super', c: 'session', d: 'caller' })
  })

  it('names groups only when there are some, and leaves out what is not known', () => {
    const none = JSON.parse(JSON.stringify(event({}))).properties
    for (const missing of ['$groups', '$geoip_disable']) expect(none).not.toHaveProperty(missing)
    expect(event({}, { ...fresh, groups: { company: 'acme' } }).properties.$groups).toEqual({ company: 'acme' })
  })

  it('keeps the types of the caller, and texts that look like times', () => {
    const given = { when: '2025-01-02T03:04:05+02:00', n: 1.5, yes: true, list: [1], nothing: null }
    expect(event(given).properties).toMatchObject(given)
  })
})

describe('a person profile', () => {
  it.each([
    ['always', fresh, true],
    ['identified_only', fresh, false],
    ['identified_only', { ...fresh, isIdentified: true }, true],
    ['identified_only', { ...fresh, hasProfile: true }, true],
    ['never', { ...fresh, isIdentified: true, hasProfile: true }, false],
  ] as const)('by %s', (mode, state, expected) => {
    expect(hasPersonProfile(state, mode)).toBe(expected)
  })
})
