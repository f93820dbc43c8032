import { describe, expect, it } from 'vitest'
import { createInitialState, isNewer, parseState, withBootstrap } from '../../src/capture/state.ts'
import type { State } from '../../src/capture/state.ts'

const session = { id: 's', startedAt: 1, activeAt: 1 }
const base = createInitialState('base', false)
const stored: State = {
  ...createInitialState('stored', false),
  revision: 7,
  distinctId: 'user-1',
  isIdentified: true,
  superProperties: { plan: 'pro', color: 'red' },
  groups: { company: 'acme' },
  session,
}

describe('a stored state', () => {
  it('is parsed as it was written', () => {
    expect(parseState(JSON.stringify(stored))).toEqual(stored)
  })

  it.each([[null], [undefined], [''], ['{'], ['null'], ['7'], ['{}'], ['{"revision":1,"distinctId":"x"}']])(
    'is undefined for %j',
    (json) => {
      expect(parseState(json)).toBeUndefined()
    },
  )

  it('is newer by revision, then by activity', () => {
    expect(isNewer(stored, base)).toBe(true)
    expect(isNewer(base, stored)).toBe(false)
    expect(isNewer(base, base)).toBe(false)
    expect(isNewer({ ...base, session }, base)).toBe(true)
    expect(isNewer({ ...base, session }, { ...base, revision: 2 })).toBe(false)
  })
})

describe('a bootstrapped identity', () => {
  it('sets the id of a new user, but not of the device', () => {
    expect(withBootstrap(base, { distinctId: 'chosen' })).toEqual({
      ...base,
      distinctId: 'chosen',
      anonymousId: 'chosen',
    })
    expect(withBootstrap(base, { distinctId: 'user', isIdentifiedId: true })).toEqual({
      ...base,
      distinctId: 'user',
      isIdentified: true,
      hasProfile: true,
    })
  })

  it.each([undefined, '', ' ', 7, null])('is ignored for the id %j', (distinctId) => {
    expect(withBootstrap(base, { distinctId: distinctId as never, isIdentifiedId: true })).toBe(base)
  })
})
