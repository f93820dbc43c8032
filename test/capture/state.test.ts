import { describe, expect, it } from 'vitest'
import { freshState, isNewer, parseState, withBootstrap } from '../../src/capture/state.ts'
import type { State } from '../../src/capture/state.ts'

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

describe('a bootstrapped identity', () => {
  it('names a fresh user; the device keeps its own id', () => {
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

  it.each([undefined, '', ' ', 7, null])('%j is none', (distinctId) => {
    expect(withBootstrap(base, { distinctId: distinctId as never, isIdentifiedId: true })).toBe(base)
  })
})
