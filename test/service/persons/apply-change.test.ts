import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readChange } from '../../../src/service/persons/change.ts'
import type { PersonWorkingSet } from '../../../src/service/persons/apply-change.ts'
import { publicIdOf } from '../../../src/service/persons/person.ts'
import { createWorkingSet, findPersonId, applyChange, applyDrafts } from '../../../src/service/persons/apply-change.ts'

interface SentEvent {
  readonly event: string
  readonly id: string
  readonly properties?: Record<string, unknown>
}

const event = (event: string, id: string, properties: Record<string, unknown> = {}): SentEvent => ({
  event,
  id,
  properties,
})
const identify = (id: string, anonymous: string | undefined, set: Record<string, unknown> = {}): SentEvent =>
  event('$identify', id, { ...(anonymous === undefined ? {} : { $anon_distinct_id: anonymous }), $set: set })
const alias = (id: string, main: string): SentEvent => event('$create_alias', id, { alias: main })

/** Applies events, which happen at `at` or at increasing milliseconds from 0. */
const applyAll = (
  events: readonly (SentEvent & { readonly at?: number })[],
  workingSet = createWorkingSet(new Map(), new Map(), new Map()),
): PersonWorkingSet => {
  for (const [index, { event, id, properties, at = index }] of events.entries()) {
    const change = readChange({ event, distinctId: id, properties: properties ?? {} })
    applyChange(workingSet, change, at, (distinctId) => `person of ${distinctId}`)
  }
  applyDrafts(workingSet)
  return workingSet
}

const personOf = (workingSet: PersonWorkingSet, id: string) =>
  workingSet.persons.get(findPersonId(workingSet, id) ?? '')

describe('applyChange', () => {
  it('creates a person at the first event that processes profiles', () => {
    const workingSet = applyAll([event('a', 'ada'), event('b', 'bob', { $process_person_profile: false })])
    expect([...workingSet.persons.keys()]).toEqual(['person of ada'])
    expect(personOf(workingSet, 'ada')).toEqual({
      id: 'person of ada',
      properties: {},
      createdAt: 0,
      isIdentified: false,
    })
  })

  it('merges an anonymous id into the identified one, whose values win', () => {
    const workingSet = applyAll([
      event('a', 'anon', { $set: { plan: 'free', theme: 'dark' } }),
      event('b', 'ada', { $set: { plan: 'pro' } }),
      identify('ada', 'anon', { email: 'a@b.c' }),
    ])
    expect(personOf(workingSet, 'anon')).toBe(personOf(workingSet, 'ada'))
    expect(personOf(workingSet, 'ada')).toEqual({
      id: 'person of ada',
      properties: { plan: 'pro', theme: 'dark', email: 'a@b.c' },
      createdAt: 0,
      isIdentified: true,
    })
    expect([...workingSet.mergedInto]).toEqual([['person of anon', 'person of ada']])
    expect(workingSet.persons.size).toBe(1)
  })

  it('adds the identified id to the anonymous person if the id is new', () => {
    const workingSet = applyAll([event('a', 'anon'), identify('ada', 'anon')])
    expect(findPersonId(workingSet, 'ada')).toBe('person of anon')
    expect(workingSet.mergedInto.size).toBe(0)
  })

  it('does not merge two users who sign in on the same device', () => {
    const workingSet = applyAll([identify('ada', 'anon'), identify('bob', 'ada'), identify('carl', 'anon')])
    expect(findPersonId(workingSet, 'anon')).toBe(findPersonId(workingSet, 'ada'))
    expect(new Set(['ada', 'bob', 'carl'].map((id) => findPersonId(workingSet, id))).size).toBe(3)
  })

  it('merges the id of an alias event into the alias', () => {
    const workingSet = applyAll([
      event('a', 'old', { $set: { plan: 'free', theme: 'dark' } }),
      event('b', 'main', { $set: { plan: 'pro' } }),
      alias('old', 'main'),
    ])
    expect(findPersonId(workingSet, 'old')).toBe('person of main')
    expect(personOf(workingSet, 'old')?.properties).toEqual({ plan: 'pro', theme: 'dark' })
  })

  it('lets an alias add an id to an identified user, but not merge two identified users', () => {
    const workingSet = applyAll([
      identify('ada', 'a1'),
      alias('ada', 'ada@b.c'),
      identify('bob', 'b1'),
      alias('bob', 'ada'),
    ])
    expect(findPersonId(workingSet, 'ada@b.c')).toBe(findPersonId(workingSet, 'ada'))
    expect(findPersonId(workingSet, 'bob')).not.toBe(findPersonId(workingSet, 'ada'))
  })

  it.each(['', ' ', 'null', 'NULL', '"null"', 'undefined', 'Anonymous', '[object Object]', '0', '"guest"'])(
    'does not merge the placeholder id %j',
    (placeholder) => {
      const workingSet = applyAll([event('a', 'ada'), identify(placeholder, 'ada'), alias('ada', placeholder)])
      expect(findPersonId(workingSet, placeholder)).not.toBe('person of ada')
      expect(workingSet.personIds.get('ada')).toBe('person of ada')
      expect(workingSet.mergedInto.size).toBe(0)
    },
  )

  it('applies $set, $set_once and $unset', () => {
    const workingSet = applyAll([
      event('a', 'ada', { $set: { a: 1, b: 1 }, $set_once: { c: 1, a: 0 } }),
      event('b', 'ada', { $set: { a: 2 }, $set_once: { c: 2 }, $unset: ['b'] }),
    ])
    expect(personOf(workingSet, 'ada')?.properties).toEqual({ a: 2, c: 1 })
  })

  it.each([
    { unset: ['b', 'none', 7], left: { a: 2, c: null } },
    { unset: { b: '', none: '' }, left: { a: 2, c: null } },
    { unset: ['a', '__proto__'], left: { b: { deep: [null] }, c: null } },
    { unset: 'b', left: { a: 2, b: { deep: [null] }, c: null } },
  ])('removes the properties named in $unset: $unset', ({ unset, left }) => {
    const first = event('a', 'ada', { $set: { a: 1, b: { deep: [null] }, c: null } })
    const workingSet = applyAll([first, event('b', 'ada', { $set: { a: 2 }, $set_once: { c: 'late' }, $unset: unset })])
    expect(personOf(workingSet, 'ada')?.properties).toEqual(left)
  })

  it('sets createdAt to the earliest event, in any order of events', () => {
    const at = (time: number, sent: SentEvent) => ({ ...sent, at: time })
    const workingSet = applyAll([
      at(50, event('a', 'ada')),
      at(30, event('b', 'ada')),
      at(70, event('c', 'ada')),
      at(20, event('d', 'anon')),
      at(80, identify('ada', 'anon')),
    ])
    expect(personOf(workingSet, 'ada')?.createdAt).toBe(20)
    const group = { $group_type: 'company', $group_key: 'acme' }
    const { groups } = applyAll([
      at(9, event('$groupidentify', 'x', group)),
      at(5, event('$groupidentify', 'x', group)),
    ])
    expect([...groups.values()].map(({ createdAt }) => createdAt)).toEqual([5])
  })

  it('lowers createdAt for an earlier event, and never raises it', () => {
    const createdAt = (...times: number[]) =>
      personOf(applyAll(times.map((at) => ({ event: 'a', id: 'ada', at }))), 'ada')?.createdAt
    expect([createdAt(50, 30), createdAt(30, 50), createdAt(50, 30, 40)]).toEqual([30, 30, 30])
  })

  it.each([
    ['$identify with an anonymous id', identify('ada', 'anon'), true],
    ['$identify without an anonymous id', identify('ada', undefined, { a: 1 }), true],
    ['$create_alias', alias('old', 'ada'), true],
    ['$set', event('$set', 'ada', { $set: { a: 1 } }), false],
    ['any other event', event('a', 'ada', { $set: { a: 1 }, $anon_distinct_id: 'anon' }), false],
  ])('sets isIdentified for %s (%#)', (_, sent, isIdentified) => {
    expect(personOf(applyAll([sent]), 'ada')?.isIdentified).toBe(isIdentified)
    expect(personOf(applyAll([event('a', 'ada'), sent]), 'ada')?.isIdentified).toBe(isIdentified)
  })

  it('warns about properties that a merge dropped', () => {
    const half = 'x'.repeat(300 * 1024)
    const workingSet = applyAll([
      event('a', 'anon', { $set: { large: half, email: 'a@b.c' } }),
      event('a', 'ada', { $set: { text: half } }),
      identify('ada', 'anon'),
    ])
    expect(Object.keys(personOf(workingSet, 'ada')!.properties)).toEqual(['text', 'email'])
    expect([...workingSet.warnings]).toEqual([
      'When person person of anon was merged into person person of ada, "large" of the former was dropped',
    ])
  })

  it('accepts a number as an id only if it is exact', () => {
    const workingSet = applyAll([
      event('a', '9007199254740992'),
      event('$identify', 'ada', { $anon_distinct_id: 2 ** 53 }),
      event('$create_alias', 'bob', { alias: 1.5 }),
      event('$identify', 'carl', { $anon_distinct_id: 42 }),
      event('$groupidentify', 'x', { $group_type: 'company', $group_key: 2 ** 53 }),
      event('$groupidentify', 'x', { $group_type: 'company', $group_key: 42 }),
    ])
    expect([...workingSet.personIds.keys()]).toEqual(['9007199254740992', 'ada', 'bob', 'carl', '42'])
    expect(findPersonId(workingSet, 'ada')).toBe('person of ada')
    expect([...workingSet.groups.values()].map(({ key }) => key)).toEqual(['42'])
  })

  it('distinguishes similar ids, and every character of very long ids', () => {
    const long = 'x'.repeat(100_000)
    const ids = ['ada', 'Ada', 'ada ', ' ada', '\u00e9', 'e\u0301', 'a\u200bda', 'ａｄａ', `${long}1`, `${long}2`]
    const workingSet = applyAll(ids.map((id) => identify(id, undefined, { id })))
    expect([...workingSet.persons.values()].map(({ properties }) => properties['id'])).toEqual(ids)
  })

  it('merges a long chain of persons with all their properties', () => {
    const ids = Array.from({ length: 3000 }, (_, n) => `id ${n}`)
    const workingSet = applyAll([
      ...ids.map((id, n) => event('a', id, { $set: { [`of ${n}`]: n, last: n } })),
      ...ids.slice(1).map((id, n) => alias(ids[n]!, id)),
    ])
    expect(workingSet.persons.size).toBe(1)
    const [merged] = workingSet.persons.values()
    expect(publicIdOf(merged!)).toBe('person of id 2999')
    expect(new Set(ids.map((id) => findPersonId(workingSet, id)))).toEqual(new Set([merged!.id]))
    // The chain is shortened: each removed id points to the last kept one.
    expect(new Set(workingSet.mergedInto.values())).toEqual(new Set([merged!.id]))
    const { properties } = personOf(workingSet, 'id 0')!
    expect([Object.keys(properties).length, properties['of 0'], properties['last']]).toEqual([3001, 0, 2999])
  })

  it.each([{ $group_key: 'acme' }, { $group_type: 'company', $group_key: '' }, { $group_type: 'company' }])(
    'ignores a group event without a group: %j',
    (properties) => {
      const workingSet = applyAll([event('$groupidentify', 'ada', { ...properties, $set: { a: 1 } })])
      expect([workingSet.groups.size, workingSet.persons.size]).toEqual([0, 0])
    },
  )

  it('keeps properties named like object methods', () => {
    const set = JSON.parse('{"__proto__": 1, "toString": 2, "constructor": 3}')
    const workingSet = applyAll([event('a', 'ada', { $set: set })])
    expect(JSON.stringify(personOf(workingSet, 'ada')?.properties)).toBe(JSON.stringify(set))
  })

  it('changes nothing when an event repeats known properties', () => {
    const first = applyAll([event('a', 'ada', { $set: { tags: ['x'] } })])
    const workingSet = applyAll(
      [event('b', 'ada', { $set: { tags: ['x'] } })],
      createWorkingSet(first.personIds, first.persons, new Map()),
    )
    expect([workingSet.changedPersons.size, workingSet.newDistinctIds.size]).toEqual([0, 0])
  })

  it.each(['$groupidentify', '$group_identify'])('creates and updates a group on %s, without a person', (name) => {
    const properties = { $group_type: 'company', $group_key: 'acme', $process_person_profile: false }
    const workingSet = applyAll([
      event(name, 'ada', { ...properties, $group_set: { seats: 5, plan: 'pro' } }),
      event(name, 'ada', { ...properties, $group_set: { seats: 6 } }),
    ])
    expect([...workingSet.groups.values()]).toEqual([
      { type: 'company', key: 'acme', properties: { seats: 6, plan: 'pro' }, createdAt: 0 },
    ])
    expect(workingSet.persons.size).toBe(0)
  })

  const id = fc.constantFrom('a', 'b', 'c', 'd', 'e')
  const anyEvent = fc.oneof(
    id.map((distinctId) => event('x', distinctId, { $set: { by: distinctId } })),
    fc.tuple(id, id).map(([distinctId, anonymousId]) => identify(distinctId, anonymousId)),
    fc.tuple(id, id).map(([distinctId, main]) => alias(distinctId, main)),
  )

  it('maps every id to exactly one existing person, in any order of events', () => {
    fc.assert(
      fc.property(fc.array(anyEvent, { maxLength: 30 }), (events) => {
        const workingSet = applyAll(events)
        for (const distinctId of workingSet.personIds.keys()) expect(personOf(workingSet, distinctId)).toBeDefined()
        const mappedPersons = new Set(
          [...workingSet.personIds.keys()].map((distinctId) => findPersonId(workingSet, distinctId)),
        )
        expect(mappedPersons).toEqual(new Set(workingSet.persons.keys()))
      }),
    )
  })

  it('has the same result whether the events are one batch or two batches', () => {
    fc.assert(
      fc.property(fc.array(anyEvent, { maxLength: 30 }), fc.nat(30), (events, split) => {
        const whole = applyAll(events)
        const first = applyAll(events.slice(0, split))
        const storedIds = new Map(
          [...first.personIds.keys()].map((distinctId) => [distinctId, findPersonId(first, distinctId)!]),
        )
        const second = createWorkingSet(storedIds, first.persons, first.groups)
        applyAll(events.slice(split), second)
        for (const distinctId of whole.personIds.keys()) {
          expect(findPersonId(second, distinctId)).toBe(findPersonId(whole, distinctId))
        }
        const withoutTimes = (workingSet: PersonWorkingSet) =>
          [...workingSet.persons.values()].map(({ id, properties, isIdentified }) => ({ id, properties, isIdentified }))
        expect(withoutTimes(second)).toEqual(expect.arrayContaining(withoutTimes(whole)))
      }),
    )
  })
})
