import { describe, expect, it } from 'vitest'
import { createInitialState, isNewer, parseState, withBootstrap } from '../../src/capture/state.ts'
import type { State } from '../../src/capture/state.ts'

const session = { id: 's', startedAt: 1, activeAt: 1 }
const newState = createInitialState('base', false)
const storedState: State = {
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
    expect(parseState(JSON.stringify(storedState))).toEqual(storedState)
  })

  it.each([[null], [undefined], [''], ['{'], ['null'], ['7'], ['{}'], ['{"revision":1,"distinctId":"x"}']])(
    'is undefined for the JSON %j',
    (json) => {
      expect(parseState(json)).toBeUndefined()
    },
  )

  it('is newer by revision, then by activity', () => {
    expect(isNewer(storedState, newState)).toBe(true)
    expect(isNewer(newState, storedState)).toBe(false)
    expect(isNewer(newState, newState)).toBe(false)
    expect(isNewer({ ...newState, session }, newState)).toBe(true)
    expect(isNewer({ ...newState, session }, { ...newState, revision: 2 })).toBe(false)
  })
})

describe('a bootstrapped identity', () => {
  it('sets the id of a new user, but not of the device', () => {
    expect(withBootstrap(newState, { distinctId: 'chosen' })).toEqual({
      ...newState,
      distinctId: 'chosen',
      anonymousId: 'chosen',
    })
    expect(withBootstrap(newState, { distinctId: 'user', isIdentifiedId: true })).toEqual({
      ...newState,
      distinctId: 'user',
      isIdentified: true,
      hasProfile: true,
    })
  })

  it('has the decimal string of a number', () => {
    expect(withBootstrap(newState, { distinctId: 7 })).toEqual({ ...newState, distinctId: '7', anonymousId: '7' })
  })

  it.each([undefined, '', ' ', NaN, null])('is ignored for the id %j', (distinctId) => {
    expect(withBootstrap(newState, { distinctId: distinctId as never, isIdentifiedId: true })).toBe(newState)
  })
})
