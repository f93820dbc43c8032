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

const createEvent = (properties: object, state: State = newUser, changes: Partial<EventInput> = {}): OutgoingEvent => {
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
    ...changes,
  }
  const ownEvent = buildEvent(input, state, session, 'window', 'identified_only')
  return mergeSharedProperties(ownEvent, collectSharedProperties(input, state, session), input.allowedNames)
}

describe('an event', () => {
  it('has the distinct id at the top level and in the properties', () => {
    const event = createEvent({})
    expect(event).toMatchObject({
      uuid: 'u',
      event: 'a',
      distinct_id: 'anonymous',
      timestamp: '2026-01-01T00:00:00.000Z',
    })
    expect(event.properties).toMatchObject({
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

  it("prefers the caller's properties to session, super and automatic ones", () => {
    const state = { ...newUser, superProperties: { b: 'super', c: 'super', d: 'super' } }
    const { properties } = createEvent({ d: 'caller' }, state, { sessionProperties: { c: 'session', d: 'session' } })
    expect(properties).toMatchObject({ a: 'automatic', b: 'super', c: 'session', d: 'caller' })
  })

  it('has $groups and $geoip_disable only when they are set', () => {
    const eventProperties = JSON.parse(JSON.stringify(createEvent({}))).properties
    for (const name of ['$groups', '$geoip_disable']) expect(eventProperties).not.toHaveProperty(name)
    expect(createEvent({}, { ...newUser, groups: { company: 'acme' } }).properties.$groups).toEqual({ company: 'acme' })
  })

  it("keeps the types of the caller's values, and strings that look like times", () => {
    const properties = { when: '2025-01-02T03:04:05+02:00', n: 1.5, yes: true, list: [1], nothing: null }
    expect(createEvent(properties).properties).toMatchObject(properties)
  })
})

describe('hasPersonProfile', () => {
  it.each([
    ['always', newUser, true],
    ['identified_only', newUser, false],
    ['identified_only', { ...newUser, isIdentified: true }, true],
    ['identified_only', { ...newUser, hasProfile: true }, true],
    ['never', { ...newUser, isIdentified: true, hasProfile: true }, false],
  ] as const)('decides by the user, with personProfiles: %s', (mode, state, expected) => {
    expect(hasPersonProfile(state, mode)).toBe(expected)
  })
})
