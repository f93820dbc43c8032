import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { changeOf } from '../../../src/service/persons/change.ts'
import type { PersonLedger } from '../../../src/service/persons/resolve.ts'
import { openLedger, personIdOf, resolveChange, settle } from '../../../src/service/persons/resolve.ts'

interface Sent {
  readonly event: string
  readonly id: string
  readonly properties?: Record<string, unknown>
}

const event = (event: string, id: string, properties: Record<string, unknown> = {}): Sent => ({ event, id, properties })
const identify = (id: string, anonymous: string | undefined, set: Record<string, unknown> = {}): Sent =>
  event('$identify', id, { ...(anonymous === undefined ? {} : { $anon_distinct_id: anonymous }), $set: set })
const alias = (given: string, main: string): Sent => event('$create_alias', given, { alias: main })

/** The events happen one millisecond after the other, from 0, or when they say. */
const resolve = (
  events: readonly (Sent & { readonly at?: number })[],
  ledger = openLedger(new Map(), new Map(), new Map()),
): PersonLedger => {
  for (const [place, { event, id, properties, at = place }] of events.entries()) {
    const change = changeOf({ event, distinctId: id, properties: (properties ?? {}) as never })
    resolveChange(ledger, change, at, (distinctId) => `person of ${distinctId}`)
  }
  settle(ledger)
  return ledger
}

const personOf = (ledger: PersonLedger, id: string) => ledger.persons.get(personIdOf(ledger, id) ?? '')

describe('resolveChange', () => {
  it('creates a person at the first event that processes profiles', () => {
    const ledger = resolve([event('a', 'ada'), event('b', 'bob', { $process_person_profile: false })])
    expect([...ledger.persons.keys()]).toEqual(['person of ada'])
    expect(personOf(ledger, 'ada')).toEqual({
      id: 'person of ada',
      properties: {},
      createdAt: 0,
      isIdentified: false,
    })
  })

  it('joins an anonymous id to the one that identifies it, and the known values win', () => {
    const ledger = resolve([
      event('a', 'anon', { $set: { plan: 'free', theme: 'dark' } }),
      event('b', 'ada', { $set: { plan: 'pro' } }),
      identify('ada', 'anon', { email: 'a@b.c' }),
    ])
    expect(personOf(ledger, 'anon')).toBe(personOf(ledger, 'ada'))
    expect(personOf(ledger, 'ada')).toEqual({
      id: 'person of ada',
      properties: { plan: 'pro', theme: 'dark', email: 'a@b.c' },
      createdAt: 0,
      isIdentified: true,
    })
    expect([...ledger.mergedInto]).toEqual([['person of anon', 'person of ada']])
    expect(ledger.persons.size).toBe(1)
  })

  it('gives a new id to the anonymous person when nobody had it', () => {
    const ledger = resolve([event('a', 'anon'), identify('ada', 'anon')])
    expect(personIdOf(ledger, 'ada')).toBe('person of anon')
    expect(ledger.mergedInto.size).toBe(0)
  })

  it('does not join two users who sign in one after the other on one device', () => {
    const ledger = resolve([identify('ada', 'anon'), identify('bob', 'ada'), identify('carl', 'anon')])
    expect(personIdOf(ledger, 'anon')).toBe(personIdOf(ledger, 'ada'))
    expect(new Set(['ada', 'bob', 'carl'].map((id) => personIdOf(ledger, id))).size).toBe(3)
  })

  it('merges the id of an alias event away into the alias', () => {
    const ledger = resolve([
      event('a', 'old', { $set: { plan: 'free', theme: 'dark' } }),
      event('b', 'main', { $set: { plan: 'pro' } }),
      alias('old', 'main'),
    ])
    expect(personIdOf(ledger, 'old')).toBe('person of main')
    expect(personOf(ledger, 'old')?.properties).toEqual({ plan: 'pro', theme: 'dark' })
  })

  it('lets an alias give a known user a further id, but not join two known users', () => {
    const ledger = resolve([identify('ada', 'a1'), alias('ada', 'ada@b.c'), identify('bob', 'b1'), alias('bob', 'ada')])
    expect(personIdOf(ledger, 'ada@b.c')).toBe(personIdOf(ledger, 'ada'))
    expect(personIdOf(ledger, 'bob')).not.toBe(personIdOf(ledger, 'ada'))
  })

  it.each(['', ' ', 'null', 'NULL', '"null"', 'undefined', 'Anonymous', '[object Object]', '0', '"guest"'])(
    'does not join by the placeholder %j',
    (placeholder) => {
      const ledger = resolve([event('a', 'ada'), identify(placeholder, 'ada'), alias('ada', placeholder)])
      expect(personIdOf(ledger, placeholder)).not.toBe('person of ada')
      expect(ledger.personOf.get('ada')).toBe('person of ada')
      expect(ledger.mergedInto.size).toBe(0)
    },
  )

  it('sets, sets once, and takes away', () => {
    const ledger = resolve([
      event('a', 'ada', { $set: { a: 1, b: 1 }, $set_once: { c: 1, a: 0 } }),
      event('b', 'ada', { $set: { a: 2 }, $set_once: { c: 2 }, $unset: ['b'] }),
    ])
    expect(personOf(ledger, 'ada')?.properties).toEqual({ a: 2, c: 1 })
  })

  it.each([
    { unset: ['b', 'none', 7], left: { a: 2, c: null } },
    { unset: { b: '', none: '' }, left: { a: 2, c: null } },
    { unset: ['a', '__proto__'], left: { b: { deep: [null] }, c: null } },
    { unset: 'b', left: { a: 2, b: { deep: [null] }, c: null } },
  ])('takes away what $unset names: $unset', ({ unset, left }) => {
    const first = event('a', 'ada', { $set: { a: 1, b: { deep: [null] }, c: null } })
    const ledger = resolve([first, event('b', 'ada', { $set: { a: 2 }, $set_once: { c: 'late' }, $unset: unset })])
    expect(personOf(ledger, 'ada')?.properties).toEqual(left)
  })

  it('knows a person since the earliest event, in whatever order they come', () => {
    const at = (when: number, sent: Sent) => ({ ...sent, at: when })
    const ledger = resolve([
      at(50, event('a', 'ada')),
      at(30, event('b', 'ada')),
      at(70, event('c', 'ada')),
      at(20, event('d', 'anon')),
      at(80, identify('ada', 'anon')),
    ])
    expect(personOf(ledger, 'ada')?.createdAt).toBe(20)
    const group = { $group_type: 'company', $group_key: 'acme' }
    const { groups } = resolve([at(9, event('$groupidentify', 'x', group)), at(5, event('$groupidentify', 'x', group))])
    expect([...groups.values()].map(({ createdAt }) => createdAt)).toEqual([5])
  })

  it('lowers when a person is known since to an earlier event, and never raises it', () => {
    const since = (...moments: number[]) =>
      personOf(resolve(moments.map((at) => ({ event: 'a', id: 'ada', at }))), 'ada')?.createdAt
    expect([since(50, 30), since(30, 50), since(50, 30, 40)]).toEqual([30, 30, 30])
  })

  it.each([
    ['$identify with an anonymous id', identify('ada', 'anon'), true],
    ['$identify alone, as senders name users they know', identify('ada', undefined, { a: 1 }), true],
    ['$create_alias', alias('given', 'ada'), true],
    ['$set', event('$set', 'ada', { $set: { a: 1 } }), false],
    ['any other event', event('a', 'ada', { $set: { a: 1 }, $anon_distinct_id: 'anon' }), false],
  ])('knows who somebody is by: %s (%#)', (_, sent, isIdentified) => {
    expect(personOf(resolve([sent]), 'ada')?.isIdentified).toBe(isIdentified)
    expect(personOf(resolve([event('a', 'ada'), sent]), 'ada')?.isIdentified).toBe(isIdentified)
  })

  it('says which properties a merge had no room for', () => {
    const half = 'x'.repeat(600 * 1024)
    const ledger = resolve([
      event('a', 'anon', { $set: { large: half, email: 'a@b.c' } }),
      event('a', 'ada', { $set: { text: half } }),
      identify('ada', 'anon'),
    ])
    expect(Object.keys(personOf(ledger, 'ada')!.properties)).toEqual(['text', 'email'])
    expect([...ledger.oversized]).toEqual([
      'When person person of anon became one with person person of ada, "large" of the former was left out',
    ])
  })

  it('takes a number for an id only where it is exact', () => {
    const ledger = resolve([
      event('a', '9007199254740992'),
      event('$identify', 'ada', { $anon_distinct_id: 2 ** 53 }),
      event('$create_alias', 'bob', { alias: 1.5 }),
      event('$identify', 'carl', { $anon_distinct_id: 42 }),
      event('$groupidentify', 'x', { $group_type: 'company', $group_key: 2 ** 53 }),
      event('$groupidentify', 'x', { $group_type: 'company', $group_key: 42 }),
    ])
    expect([...ledger.personOf.keys()]).toEqual(['9007199254740992', 'ada', 'bob', 'carl', '42'])
    expect(personIdOf(ledger, 'ada')).toBe('person of ada')
    expect([...ledger.groups.values()].map(({ key }) => key)).toEqual(['42'])
  })

  it('tells ids apart that look alike, and of very long ones every character', () => {
    const long = 'x'.repeat(100_000)
    const ids = ['ada', 'Ada', 'ada ', ' ada', '\u00e9', 'e\u0301', 'a\u200bda', 'ａｄａ', `${long}1`, `${long}2`]
    const ledger = resolve(ids.map((id) => identify(id, undefined, { id })))
    expect([...ledger.persons.values()].map(({ properties }) => properties['id'])).toEqual(ids)
  })

  it('comes to one person along a long chain of merges, and to all their properties', () => {
    const ids = Array.from({ length: 3000 }, (_, n) => `id ${n}`)
    const ledger = resolve([
      ...ids.map((id, n) => event('a', id, { $set: { [`of ${n}`]: n, last: n } })),
      ...ids.slice(1).map((id, n) => alias(ids[n]!, id)),
    ])
    expect(ledger.persons.size).toBe(1)
    expect(new Set(ids.map((id) => personIdOf(ledger, id)))).toEqual(new Set(['person of id 2999']))
    // Walked once: each loser leads to the end at one step.
    expect(new Set(ledger.mergedInto.values())).toEqual(new Set(['person of id 2999']))
    const { properties } = personOf(ledger, 'id 0')!
    expect([Object.keys(properties).length, properties['of 0'], properties['last']]).toEqual([3001, 0, 2999])
  })

  it.each([{ $group_key: 'acme' }, { $group_type: 'company', $group_key: '' }, { $group_type: 'company' }])(
    'changes nothing on a group event without a group: %j',
    (properties) => {
      const ledger = resolve([event('$groupidentify', 'ada', { ...properties, $set: { a: 1 } })])
      expect([ledger.groups.size, ledger.persons.size]).toEqual([0, 0])
    },
  )

  it('keeps a property that is called like an object method', () => {
    const set = JSON.parse('{"__proto__": 1, "toString": 2, "constructor": 3}')
    const ledger = resolve([event('a', 'ada', { $set: set })])
    expect(JSON.stringify(personOf(ledger, 'ada')?.properties)).toBe(JSON.stringify(set))
  })

  it('changes nothing when an event says what is known already', () => {
    const first = resolve([event('a', 'ada', { $set: { tags: ['x'] } })])
    const ledger = resolve(
      [event('b', 'ada', { $set: { tags: ['x'] } })],
      openLedger(first.personOf, first.persons, new Map()),
    )
    expect([ledger.changed.size, ledger.attached.size]).toEqual([0, 0])
  })

  it.each(['$groupidentify', '$group_identify'])('creates and updates a group on %s, without a person', (name) => {
    const properties = { $group_type: 'company', $group_key: 'acme', $process_person_profile: false }
    const ledger = resolve([
      event(name, 'ada', { ...properties, $group_set: { seats: 5, plan: 'pro' } }),
      event(name, 'ada', { ...properties, $group_set: { seats: 6 } }),
    ])
    expect([...ledger.groups.values()]).toEqual([
      { type: 'company', key: 'acme', properties: { seats: 6, plan: 'pro' }, createdAt: 0 },
    ])
    expect(ledger.persons.size).toBe(0)
  })

  const id = fc.constantFrom('a', 'b', 'c', 'd', 'e')
  const anySent = fc.oneof(
    id.map((one) => event('x', one, { $set: { by: one } })),
    fc.tuple(id, id).map(([one, other]) => identify(one, other)),
    fc.tuple(id, id).map(([one, other]) => alias(one, other)),
  )

  it('leaves every id with exactly one living person, whatever the order', () => {
    fc.assert(
      fc.property(fc.array(anySent, { maxLength: 30 }), (events) => {
        const ledger = resolve(events)
        for (const distinctId of ledger.personOf.keys()) expect(personOf(ledger, distinctId)).toBeDefined()
        const living = new Set([...ledger.personOf.keys()].map((distinctId) => personIdOf(ledger, distinctId)))
        expect(living).toEqual(new Set(ledger.persons.keys()))
      }),
    )
  })

  it('comes to the same whether a list of events is one batch or many', () => {
    fc.assert(
      fc.property(fc.array(anySent, { maxLength: 30 }), fc.nat(30), (events, cut) => {
        const whole = resolve(events)
        const first = resolve(events.slice(0, cut))
        const stored = new Map([...first.personOf.keys()].map((one) => [one, personIdOf(first, one)!]))
        const second = openLedger(stored, first.persons, first.groups)
        resolve(events.slice(cut), second)
        for (const one of whole.personOf.keys()) expect(personIdOf(second, one)).toBe(personIdOf(whole, one))
        const plain = (ledger: PersonLedger) =>
          [...ledger.persons.values()].map(({ id, properties, isIdentified }) => ({ id, properties, isIdentified }))
        expect(plain(second)).toEqual(expect.arrayContaining(plain(whole)))
      }),
    )
  })
})
