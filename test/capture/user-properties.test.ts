import { describe, expect, it } from 'vitest'
import { createInitialState } from '../../src/capture/state.ts'
import { addInitialProperties, createUserProperties } from '../../src/capture/user-properties.ts'

const newUser = createInitialState('anonymous', false)

const session = { id: 'session', startedAt: 0, activeAt: 0, entry: { $session_entry_url: 'https://a.test/first' } }

describe('the properties of a user', () => {
  it('describe the current user, without groups when there are none', () => {
    expect(createUserProperties(newUser, 'anonymous', 'identified_only')).toEqual({
      $device_id: 'anonymous',
      $groups: undefined,
      $is_identified: false,
      $process_person_profile: false,
    })
    const state = { ...newUser, groups: { company: 'acme' } }
    expect(createUserProperties(state, 'anonymous', 'never').$groups).toEqual({ company: 'acme' })
  })

  it.each([
    ['always', newUser, true],
    ['identified_only', newUser, false],
    ['identified_only', { ...newUser, isIdentified: true }, true],
    ['identified_only', { ...newUser, hasProfile: true }, true],
    ['never', { ...newUser, isIdentified: true, hasProfile: true }, false],
  ] as const)('ask for a person profile by the user, with personProfiles: %s', (mode, state, expected) => {
    expect(createUserProperties(state, 'anonymous', mode).$process_person_profile).toBe(expected)
  })

  it('call another user not identified', () => {
    const state = { ...newUser, isIdentified: true, hasProfile: true }
    expect(createUserProperties(state, 'other', 'identified_only')).toMatchObject({
      $is_identified: false,
      $process_person_profile: false,
    })
  })
})

describe('the initial properties', () => {
  const add = (properties: Record<string, unknown>, state = newUser): unknown => {
    const result = { distinct_id: 'anonymous', ...properties }
    addInitialProperties(result, session, state)
    return (result as { $set_once?: unknown }).$set_once
  }

  it("are those of the session's entry, unless the user has earlier ones or has sent them", () => {
    const properties = { $process_person_profile: true }
    expect(add(properties)).toEqual({ $initial_current_url: 'https://a.test/first' })
    const stored = { $session_entry_url: 'https://a.test/earlier' }
    expect(add(properties, { ...newUser, initial: stored })).toEqual({ $initial_current_url: 'https://a.test/earlier' })
    expect(add(properties, { ...newUser, initial: null })).toBeUndefined()
  })

  it('are left out of events without a person profile or of another user', () => {
    expect(add({ $process_person_profile: false })).toBeUndefined()
    expect(add({ $process_person_profile: true, distinct_id: 'other' })).toBeUndefined()
  })

  it("do not replace the caller's values", () => {
    const properties = { $process_person_profile: true, $set_once: { $initial_current_url: 'mine', plan: 'pro' } }
    expect(add(properties)).toEqual({ $initial_current_url: 'mine', plan: 'pro' })
  })
})
