import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { changeOf } from '../../../src/service/persons/change.ts'
import type { PersonLedger } from '../../../src/service/persons/resolve.ts'
import { openLedger, personIdOf, resolveChange } from '../../../src/service/persons/resolve.ts'

interface Sent {
  readonly event: string
  readonly id: string
  readonly properties?: Record<string, unknown>
}

const event = (event: string, id: string, properties: Record<string, unknown> = {}): Sent => ({ event, id, properties })
const identify = (id: string, anonymous: string | undefined, set: Record<string, unknown> = {}): Sent =>
  event('$identify', id, { ...(anonymous === undefined ? {} : { $anon_distinct_id: anonymous }), $set: set })
const alias = (given: string, main: string): Sent => event('$create_alias', given, { alias: main })

function resolve(events: readonly Sent[], ledger = openLedger(new Map(), new Map(), new Map())): PersonLedger {
  for (const [at, { event, id, properties }] of events.entries()) {
    const change = changeOf({ event, distinctId: id, properties: (properties ?? {}) as never })
    resolveChange(ledger, change, at, (distinctId) => `person of ${distinctId}`)
  }
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

  it.each(['', ' ', 'null', 'undefined', 'Anonymous', '[object Object]', '0', '"guest"'])(
    'does not join by the placeholder %j',
    (placeholder) => {
      const ledger = resolve([event('a', 'ada'), identify(placeholder, 'ada'), alias('ada', placeholder)])
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
