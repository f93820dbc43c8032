import { describe, expect, it } from 'vitest'
import type { OutgoingEvent } from '../../src/capture/before-send.ts'
import {
  buildEvent,
  hasPersonProfile,
  collectSharedProperties,
  mergeSharedProperties,
} from '../../src/capture/build-event.ts'
import type { EventInput } from '../../src/capture/build-event.ts'
import { createInitialState } from '../../src/capture/state.ts'
import type { State } from '../../src/capture/state.ts'

const newUser = createInitialState('anonymous', false)

const session = { id: 'session', startedAt: 0, activeAt: 0, entry: { $session_entry_pathname: '/first' } }

const event = (properties: object, state: State = newUser, more: Partial<EventInput> = {}): OutgoingEvent => {
  const input: EventInput = {
    uuid: 'u',
    name: 'a',
    timestampMs: Date.UTC(2026, 0, 1),
    properties: { ...properties },
    distinctId: undefined,
    isGeoipDisabled: undefined,
    automaticProperties: { $lib: 'web', a: 'automatic', b: 'automatic', c: 'automatic', d: 'automatic' },
    flagProperties: { '$feature/beta': true, $active_feature_flags: ['beta'] },
    sessionProperties: {},
    ...more,
  }
  const withoutShared = buildEvent(input, state, session, 'window', 'identified_only')
  return mergeSharedProperties(withoutShared, collectSharedProperties(input, state, session), input.allowedNames)
}

describe('an event', () => {
  it('has its envelope, and the distinct id in both places', () => {
    const built = event({})
    expect(built).toMatchObject({
      uuid: 'u',
      event: 'a',
      distinct_id: 'anonymous',
      timestamp: '2026-01-01T00:00:00.000Z',
    })
    expect(built.properties).toMatchObject({
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

  it('prefers caller, then session, then super, then automatic properties', () => {
    const state = { ...newUser, superProperties: { b: 'super', c: 'super', d: 'super' } }
    const { properties } = event({ d: 'caller' }, state, { sessionProperties: { c: 'session', d: 'session' } })
    expect(properties).toMatchObject({ a: 'automatic', b: 'super', c: 'session', d: 'caller' })
  })

  it('has groups only when there are some, and no unknown properties', () => {
    const ungrouped = JSON.parse(JSON.stringify(event({}))).properties
    for (const missing of ['$groups', '$geoip_disable']) expect(ungrouped).not.toHaveProperty(missing)
    expect(event({}, { ...newUser, groups: { company: 'acme' } }).properties.$groups).toEqual({ company: 'acme' })
  })

  it("keeps the caller's types, and strings that look like times", () => {
    const properties = { when: '2025-01-02T03:04:05+02:00', n: 1.5, yes: true, list: [1], nothing: null }
    expect(event(properties).properties).toMatchObject(properties)
  })
})

describe('a person profile', () => {
  it.each([
    ['always', newUser, true],
    ['identified_only', newUser, false],
    ['identified_only', { ...newUser, isIdentified: true }, true],
    ['identified_only', { ...newUser, hasProfile: true }, true],
    ['never', { ...newUser, isIdentified: true, hasProfile: true }, false],
  ] as const)('with personProfiles: %s', (mode, state, expected) => {
    expect(hasPersonProfile(state, mode)).toBe(expected)
  })
})
