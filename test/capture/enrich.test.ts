import { describe, expect, it } from 'vitest'
import { enrich, hasPersonProfile, type Surroundings } from '../../src/capture/enrich.ts'
import { freshState } from '../../src/capture/state.ts'

const around = (more: Partial<Surroundings> = {}): Surroundings => ({
  uuid: 'u',
  at: Date.UTC(2026, 0, 1),
  state: freshState('anonymous', false),
  sessionId: 'session',
  windowId: 'window',
  automatic: { $lib: 'web', a: 'automatic', b: 'automatic', c: 'automatic' },
  flags: { '$feature/beta': true, $active_feature_flags: ['beta'] },
  personProfiles: 'identified_only',
  ...more,
})

describe('an event', () => {
  it('carries its envelope, and the distinct id in both places', () => {
    const event = enrich('a', {}, around())
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
      $window_id: 'window',
      $is_identified: false,
      $process_person_profile: false,
      '$feature/beta': true,
      $active_feature_flags: ['beta'],
    })
  })

  it('lets the caller win over super properties, and these over automatic ones', () => {
    const state = { ...freshState('anonymous', false), superProperties: { b: 'super', c: 'super' } }
    const { properties } = enrich('a', { c: 'caller' }, around({ state }))
    expect(properties).toMatchObject({ a: 'automatic', b: 'super', c: 'caller' })
  })

  it('names groups only when there are some, and leaves out what is not known', () => {
    const none = JSON.parse(JSON.stringify(enrich('a', {}, around({ windowId: undefined })))).properties
    expect(none).not.toHaveProperty('$groups')
    expect(none).not.toHaveProperty('$window_id')
    const state = { ...freshState('anonymous', false), groups: { company: 'acme' } }
    expect(enrich('a', {}, around({ state })).properties.$groups).toEqual({ company: 'acme' })
  })

  it('keeps the types of the caller, and texts that look like times', () => {
    const given = { when: '2025-01-02T03:04:05+02:00', n: 1.5, yes: true, list: [1], nothing: null }
    expect(enrich('a', given, around()).properties).toMatchObject(given)
  })
})

describe('a person profile', () => {
  const fresh = freshState('a', false)
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
