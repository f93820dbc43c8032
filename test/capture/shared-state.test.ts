import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Session } from '../../src/capture/session.ts'
import { mergeSharedState, toSharedState } from '../../src/capture/shared-state.ts'
import { createInitialState, parseState } from '../../src/capture/state.ts'
import type { State } from '../../src/capture/state.ts'

const UUID = '01890a5d-ac96-774b-bcce-b302099a8057'
/** The page of an ad click. */
const LONG_ENTRY = { $session_entry_url: `https://www.shop.test/?gclid=${'aB3dE5fG7hI9'.repeat(200)}` }
const session: Session = { id: UUID, startedAt: 1, activeAt: 2, entry: LONG_ENTRY }

const createState = (changes: Partial<State> = {}): State => ({ ...createInitialState(UUID, 0), ...changes })

let warnings = 0
const share = (state: State): string => {
  warnings = 0
  return toSharedState(JSON.stringify(state), () => warnings++)
}
const read = (shared: string, own: State | null): State =>
  parseState(mergeSharedState(shared, own && JSON.stringify(own)))!
const cookieBytes = (shared: string): number => encodeURIComponent(shared).length

describe('the state in a cookie', () => {
  it('has identity, consent, session times, groups and super properties, however long the entry is', () => {
    const state = createState({
      revision: 9,
      distinctId: 'ada',
      isIdentified: true,
      hasProfile: true,
      isOptedOut: false,
      superProperties: { plan: 'pro' },
      groups: { company: 'acme' },
      told: { '=plan': 7 },
      session,
      initial: LONG_ENTRY,
    })
    const shared = share(state)
    const expected = { ...state, told: undefined, session: { id: UUID, startedAt: 1, activeAt: 2 }, initial: null }
    expect([JSON.parse(shared), warnings]).toEqual([expected, 0])
    expect(cookieBytes(shared)).toBeLessThan(1024)
  })

  it('has a short entry once, also as the first one', () => {
    const entry = { $session_entry_url: 'https://www.shop.test/' }
    const state = createState({ session: { ...session, entry }, initial: entry })
    const shared = share(state)
    expect(shared.match(/www/g)).toHaveLength(1)
    expect(read(shared, null)).toEqual(state)
    const later = createState({ session: { ...session, entry }, initial: { $session_entry_url: 'https://first/' } })
    expect(read(share(later), null)).toEqual(later)
    expect(read(share({ ...state, initial: null }), null)).toEqual({ ...state, initial: null })
  })

  it('lacks groups and super properties above 1 KB, and says so', () => {
    const state = createState({ superProperties: { text: 'x'.repeat(1_000) }, groups: { company: 'acme' } })
    const shared = share(state)
    expect([JSON.parse(shared), warnings]).toEqual([
      { ...state, superProperties: {}, groups: {}, isPartial: true, initial: undefined },
      1,
    ])
    // Versions before this form read it too.
    expect(parseState(shared)).toMatchObject({ distinctId: UUID, superProperties: {} })
  })

  it('has no properties beside an id so long that the whole would not fit', () => {
    const ids = { distinctId: '名'.repeat(360), isIdentified: true, hasProfile: true }
    const shared = share(createState({ ...ids, groups: { company: '名'.repeat(100) }, session }))
    expect([parseState(shared), warnings]).toMatchObject([{ ...ids, groups: {}, isPartial: true }, 1])
    expect(cookieBytes(shared)).toBeLessThan(4_000)
  })

  it('fits a cookie for any ids of ASCII characters that the service stores', () => {
    const id = fc.string({ unit: fc.constantFrom('a', '%', '"', '\\', '-'), minLength: 1, maxLength: 400 })
    const state = fc.record({ distinctId: id, superProperties: fc.object(), groups: fc.dictionary(id, id) })
    fc.assert(
      fc.property(state, fc.option(fc.constant(session)), (changes, current) => {
        const shared = share(createState({ ...changes, ...(current && { session: current }) }))
        expect(cookieBytes(shared)).toBeLessThan(4_000)
        expect(parseState(shared)).toBeDefined()
      }),
    )
  })
})

describe('the state of a cookie that another host may have written', () => {
  const own = createState({
    superProperties: { own: 1 },
    groups: { team: 'red' },
    told: { '=plan': 7 },
    session,
    initial: LONG_ENTRY,
  })

  it('is completed by what this host has of the same visitor', () => {
    const there = { ...own, distinctId: 'ada', isIdentified: true, groups: { company: 'acme' }, revision: 5 }
    expect(read(share(there), own)).toEqual(there)
  })

  it('is that of the other visitor after a reset there', () => {
    const there = createState({ anonymousId: 'new', distinctId: 'new', revision: 5 })
    expect(read(share(there), own)).toEqual(there)
  })

  it('ends the session of this host with that of the other', () => {
    const ended = { ...own, session: undefined, revision: 2 }
    expect(read(share(ended), own).session).toBeUndefined()
    const next = { ...own, session: { id: 'next', startedAt: 3, activeAt: 4 } }
    expect(read(share(next), own).session).toEqual(next.session)
  })

  it('keeps large groups and super properties of each host apart, until a reset', () => {
    const large = { ...own, superProperties: { text: 'x'.repeat(1_000) } }
    const elsewhere = read(share(large), null)
    expect([elsewhere.superProperties, elsewhere.groups]).toEqual([{}, {}])
    const changedThere = { ...elsewhere, superProperties: { there: 1 }, revision: 2 }
    expect(read(share(changedThere), large)).toMatchObject({
      superProperties: large.superProperties,
      groups: large.groups,
      revision: 2,
    })
    expect(read(share(createState({ anonymousId: 'new' })), large)).not.toHaveProperty('isPartial')
  })

  it('does not replace a newer consent of this host by an old one', () => {
    const newer = { ...own, revision: 9, isOptedOut: true }
    expect(read(share({ ...own, revision: 2, isOptedOut: false }), newer)).toEqual(newer)
    const partial = { ...own, superProperties: {}, groups: {}, isPartial: true }
    expect(read(share(partial), newer)).toEqual({ ...newer, isPartial: true })
  })

  it('does not replace a later session of this host by an old one', () => {
    const later = { ...own, session: { ...session, activeAt: 9 } }
    expect(read(share(own), later)).toEqual(later)
  })

  it('knows the properties that were told elsewhere, too', () => {
    const there = { ...own, told: { '=plan': 8 }, revision: 2 }
    expect(read(JSON.stringify(there), own)).toEqual(there)
  })

  it('knows no first page of a visitor whose session began elsewhere with a long one', () => {
    expect(read(share(own), null)).toMatchObject({ initial: null })
    expect(read(share(own), null).session).toEqual({ id: UUID, startedAt: 1, activeAt: 2 })
  })

  it('is that of an earlier version, which has the whole state', () => {
    expect(read(JSON.stringify(own), null)).toEqual(own)
    expect(read(JSON.stringify({ ...own, revision: 7 }), own)).toEqual({ ...own, revision: 7 })
  })

  it.each(['', '{', 'null', '[]'])('is nothing that a cookie with %j could change', (cookie) => {
    expect(parseState(mergeSharedState(cookie, null))).toBeUndefined()
    expect(read(cookie, own)).toEqual(own)
  })

  it('may lack the anonymous id, when this host has nothing', () => {
    const { anonymousId: _, ...broken } = own
    expect(read(JSON.stringify(broken), null)).toEqual(broken)
  })
})
