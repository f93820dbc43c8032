import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { BeforeSend, OutgoingEvent } from '../../../src/capture/before-send.ts'
import { createEventMaker } from '../../../src/capture/node/event-maker.ts'
import type { EventInput } from '../../../src/capture/node/event-maker.ts'
import { createProcessState } from '../../../src/capture/node/process-state.ts'
import type { RequestContext } from '../../../src/port/request-context.ts'
import { manualClock } from '../../support/manual-clock.ts'

const AUTOMATIC = { $lib: 'waymark-node', $lib_version: '1.2.3', $is_server: true }

/** A maker with what it was told, and what it told. */
const openMaker = ({ maxEventLength = 100_000, isOptedOut = false, disableGeoip = false } = {}) => {
  const clock = manualClock(Date.UTC(2026, 0, 2, 3, 4, 5, 6))
  const state = createProcessState({ ...AUTOMATIC, ...(disableGeoip && { $geoip_disable: true }) }, isOptedOut)
  const drops: [event: unknown, reason: string][] = []
  const warnings: unknown[][] = []
  let ids = 0
  const given = {
    context: undefined as RequestContext | undefined,
    hooks: [] as BeforeSend[],
    isClosed: false,
  }
  const text = createEventMaker(
    { beforeSend: () => given.hooks, maxEventLength },
    {
      clock,
      newId: (now) => `id-${now}-${(ids += 1)}`,
      contexts: { current: () => given.context, run: (_context, task) => task() },
      logger: { warn: (...message) => void warnings.push(message), debug: () => undefined },
    },
    state,
    { isClosed: () => given.isClosed, drop: (event, reason) => void drops.push([event.event, reason]) },
  )
  /** The event as the service reads it. */
  const make = (input: Partial<EventInput>, only?: RegExp): OutgoingEvent =>
    JSON.parse(text({ event: 'e', distinctId: 'ada', ...input }, only)!)
  const propertiesOf = (input: Partial<EventInput>): Record<string, unknown> => make(input).properties
  return Object.assign(given, { clock, state, drops, warnings, text, make, propertiesOf })
}

const flagsOf = (properties: Record<string, unknown>) => ({ eventProperties: () => properties })

describe('the envelope', () => {
  it('has event, distinct_id, uuid, timestamp, and properties with $lib, $lib_version and $is_server', () => {
    const { make } = openMaker()
    const event = make({ event: 'paid', properties: { amount: 12 } })
    expect(event).toEqual({
      event: 'paid',
      distinct_id: 'ada',
      uuid: expect.any(String) as string,
      timestamp: '2026-01-02T03:04:05.006Z',
      properties: { ...AUTOMATIC, distinct_id: 'ada', amount: 12 },
    })
  })

  it('has a uuid that is "unique per call even for identical content"', () => {
    const { make } = openMaker()
    expect(make({}).uuid).not.toBe(make({}).uuid)
  })

  it('keeps a uuid that the caller gives; what is none counts as not given', () => {
    const { make } = openMaker()
    const uuid = '019401d2-aaaa-7bbb-8ccc-0123456789ab'
    expect(make({ uuid }).uuid).toBe(uuid)
    expect(make({ uuid: 'mine' }).uuid).toMatch(/^id-/)
  })

  it.each([
    ['2025-01-02T03:04:05+02:00', '2025-01-02T01:04:05.000Z'],
    [new Date(0), '1970-01-01T00:00:00.000Z'],
    [new Date(86_400_000), '1970-01-02T00:00:00.000Z'],
    ['yesterday', '2026-01-02T03:04:05.006Z'],
    [new Date(NaN), '2026-01-02T03:04:05.006Z'],
    [false, '2026-01-02T03:04:05.006Z'],
    [null, '2026-01-02T03:04:05.006Z'],
  ])('sends the timestamp %s as %s: "the same instant in UTC"', (timestamp, expected) => {
    expect(openMaker().make({ timestamp: timestamp as Date }).timestamp).toBe(expected)
  })

  it.each(['yesterday', '', new Date(NaN), false, 1n])(
    'warns the first time that the timestamp %s is none',
    (given) => {
      const { make, warnings } = openMaker()
      const timestamp = given as Date
      make({ timestamp: new Date(0) })
      make({ timestamp })
      make({ timestamp })
      expect(warnings).toEqual([[expect.stringContaining('timestamp'), 'e']])
    },
  )

  it('"strings inside properties that look like timestamps stay as given"', () => {
    const at = '2025-01-02T03:04:05+02:00'
    expect(openMaker().propertiesOf({ properties: { at } })).toMatchObject({ at })
  })

  it('tells two moments apart', async () => {
    const { clock, make } = openMaker()
    const [first] = [make({}), await clock.advance(1)]
    expect([first.timestamp, make({}).timestamp]).toEqual(['2026-01-02T03:04:05.006Z', '2026-01-02T03:04:05.007Z'])
  })

  it('"Caller properties win over super properties, which win over automatic ones"', () => {
    const { propertiesOf, state } = openMaker()
    state.register({ $lib: 'super', plan: 'super', region: 'super' })
    expect(propertiesOf({ properties: { plan: 'own' } })).toMatchObject({ $lib: 'super', plan: 'own', region: 'super' })
    expect(propertiesOf({ properties: { $lib: 'own' } })).toMatchObject({ $lib: 'own', plan: 'super' })
  })

  it('"custom values keep their JSON type"', () => {
    const given = { n: 1, t: 'x', b: false, none: null, list: [1, '2', [null]], deep: { a: { b: 1.5 } } }
    expect(openMaker().propertiesOf({ properties: given })).toMatchObject(given)
  })

  it('has $groups when there are any, their keys as texts', () => {
    const { propertiesOf } = openMaker()
    expect(propertiesOf({ groups: { company: 'acme', team: 7 } })).toMatchObject({
      $groups: { company: 'acme', team: '7' },
    })
    expect(propertiesOf({ groups: {} })).not.toHaveProperty('$groups')
  })

  it('has $geoip_disable when asked, for all or for one', () => {
    expect(openMaker().propertiesOf({})).not.toHaveProperty('$geoip_disable')
    expect(openMaker().propertiesOf({ disableGeoip: true })).toMatchObject({ $geoip_disable: true })
    const { propertiesOf } = openMaker({ disableGeoip: true })
    expect(propertiesOf({})).toMatchObject({ $geoip_disable: true })
    expect(propertiesOf({ disableGeoip: false })).toMatchObject({ $geoip_disable: false })
  })

  it('"`null`/`undefined` option values are left out of the wire"', () => {
    const none = { timestamp: null, uuid: null, groups: null, disableGeoip: null, flags: null, properties: null }
    expect(openMaker().propertiesOf(none as never)).toEqual({ ...AUTOMATIC, distinct_id: 'ada' })
    expect(openMaker().propertiesOf({ properties: { left: undefined } })).not.toHaveProperty('left')
  })

  it('has $feature/<key> and $active_feature_flags of flags that were evaluated before; the caller wins', () => {
    const flags = flagsOf({ '$feature/beta': true, $active_feature_flags: ['beta'] })
    expect(openMaker().propertiesOf({ flags, properties: { '$feature/beta': 'mine' } })).toMatchObject({
      '$feature/beta': 'mine',
      $active_feature_flags: ['beta'],
    })
  })

  it('keeps of a minimal event those properties alone that are asked for', () => {
    const { make, state } = openMaker()
    state.register({ plan: 'pro' })
    const { properties } = make({ properties: { $feature_flag: 'beta', source: 'web' } }, /^(\$|distinct_id$)/)
    expect(properties).toEqual({ ...AUTOMATIC, $feature_flag: 'beta', distinct_id: 'ada' })
  })
})

describe('whose event it is', () => {
  it('"Server without distinct id: take the request context\'s"; an explicit one wins', () => {
    const world = openMaker()
    world.context = { distinctId: 'of request' }
    expect(world.make({ distinctId: undefined }).distinct_id).toBe('of request')
    expect(world.make({ distinctId: 'ada' }).distinct_id).toBe('ada')
    expect(world.propertiesOf({ distinctId: undefined })).not.toHaveProperty('$process_person_profile')
  })

  it('"else a generated random id and `$process_person_profile: false`"', () => {
    const { make } = openMaker()
    const [one, other] = [make({ distinctId: undefined }), make({ distinctId: undefined })]
    expect(one.distinct_id).toMatch(/^id-/)
    expect(one.distinct_id).not.toBe(other.distinct_id)
    expect(one.distinct_id).not.toBe(one.uuid)
    expect(one.properties).toMatchObject({ $process_person_profile: false, distinct_id: one.distinct_id })
  })

  it('"unless the caller set that property": in the event, or for all', () => {
    const { propertiesOf, state } = openMaker()
    const properties = { $process_person_profile: true }
    expect(propertiesOf({ distinctId: undefined, properties })).toMatchObject(properties)
    state.register(properties)
    expect(propertiesOf({ distinctId: undefined })).toMatchObject(properties)
  })

  it.each(['', '  ', {}, NaN, true])('takes %j for no id, and warns the first time', (given) => {
    const { make, warnings } = openMaker()
    const distinctId = given as string
    expect(make({ distinctId }).distinct_id).toMatch(/^id-/)
    make({ distinctId })
    expect(warnings.map(([text]) => text)).toEqual([expect.stringContaining('distinctId')])
  })

  it('takes a number, as databases have them, for its text', () => {
    expect(openMaker().make({ distinctId: 42 as never })).toMatchObject({
      distinct_id: '42',
      properties: { distinct_id: '42' },
    })
  })

  it("adds the request's session and properties, weaker than the caller's and stronger than registered ones", () => {
    const world = openMaker()
    world.state.register({ $current_url: 'registered', plan: 'pro' })
    world.context = { distinctId: 'x', sessionId: 's', properties: { $current_url: '/pay', $ip: '1.2.3.4' } }
    expect(world.propertiesOf({ properties: { $ip: 'own' } })).toMatchObject({
      $session_id: 's',
      $current_url: '/pay',
      $ip: 'own',
      plan: 'pro',
    })
  })
})

describe('what is refused', () => {
  it.each([[''], [' '], [undefined], [null], [7], [{}]])('"Empty or non-string event name: dropped": %j', (event) => {
    const { text, drops } = openMaker()
    expect(text({ event: event as string, distinctId: 'ada' })).toBeUndefined()
    expect(drops).toEqual([[event, 'invalid_event']])
  })

  it('is every event after shutdown, and while opted out', () => {
    const world = openMaker({ isOptedOut: true })
    expect(world.text({ event: 'a' })).toBeUndefined()
    world.state.setOptedOut(false)
    expect(world.text({ event: 'b' })).toBeDefined()
    world.isClosed = true
    expect(world.text({ event: 'c' })).toBeUndefined()
    expect(world.drops).toEqual([
      ['a', 'opted_out'],
      ['c', 'shut_down'],
    ])
  })

  it('is an event that no request may carry', () => {
    const { text, drops } = openMaker({ maxEventLength: 500 })
    expect(text({ event: 'big', properties: { text: 'x'.repeat(500) } })).toBeUndefined()
    expect(text({ event: 'small', properties: { text: 'x' } })).toBeDefined()
    expect(drops).toEqual([['big', 'too_large']])
  })

  it.each([[undefined], [null], ['paid'], [42]])(
    'is a call with %j in the place of an event, without an exception',
    (given) => {
      const { text, drops } = openMaker()
      expect(text(given as never)).toBeUndefined()
      expect(drops.map(([, reason]) => reason)).toEqual(['invalid_event'])
    },
  )
})

describe('properties that JSON cannot carry', () => {
  const cyclic: Record<string, unknown> = { kept: 1 }
  cyclic['self'] = cyclic

  it('"never throws, not even for unserialisable properties (cycles, BigInt, throwing getters)"', () => {
    const { propertiesOf } = openMaker()
    const bad = {
      get boom(): never {
        throw new Error('no')
      },
      kept: 1,
    }
    expect(propertiesOf({ properties: cyclic })).toMatchObject({ kept: 1, self: '[Circular]' })
    expect(propertiesOf({ properties: { n: 1n } })).toMatchObject({ n: '[BigInt 1]' })
    expect(propertiesOf({ properties: bad })).toMatchObject({ boom: '[Unreadable]', kept: 1 })
    expect(propertiesOf({ properties: bad, groups: { company: 'acme' } })).toMatchObject({
      boom: '[Unreadable]',
      kept: 1,
    })
  })

  it('do not cost the event: objects of classes give their own fields, arrays their places', () => {
    class Order {
      total = 5
      toJSON(): string {
        return 'an order'
      }
    }
    const { propertiesOf } = openMaker()
    expect(propertiesOf({ properties: new Order() })).toMatchObject({ total: 5, $is_server: true })
    expect(propertiesOf({ properties: ['a'] })).toMatchObject({ 0: 'a', $is_server: true })
    expect(propertiesOf({ properties: new Map() })).toEqual({ ...AUTOMATIC, distinct_id: 'ada' })
    expect(propertiesOf({ properties: 'text' as never })).toEqual({ ...AUTOMATIC, distinct_id: 'ada' })
    expect(propertiesOf({ properties: Object.create(null) as object })).toMatchObject(AUTOMATIC)
  })

  it('give an event, or a reported drop, whatever a caller hands over', () => {
    const anything = fc.oneof(
      fc.object({ withBigInt: true, withMap: true, withSet: true, withTypedArray: true, withDate: true }),
      fc.anything(),
    )
    fc.assert(
      fc.property(
        fc.record(
          { event: anything, distinctId: anything, properties: anything, groups: anything, timestamp: anything },
          { requiredKeys: [] },
        ),
        fc.boolean(),
        (input, isRequest) => {
          const world = openMaker()
          if (isRequest) world.context = { distinctId: 'r', properties: { a: 1 } }
          const text = world.text(input as never)
          if (text === undefined) expect(world.drops).toHaveLength(1)
          else expect(JSON.parse(text)).toMatchObject({ event: input.event, properties: { $is_server: true } })
        },
      ),
    )
  })
})

describe('before_send', () => {
  it('sees the assembled event, and its answer goes out; uuid and timestamp stay', () => {
    const world = openMaker()
    world.hooks = [
      (event) => ({
        ...event,
        uuid: 'x',
        timestamp: 'y',
        properties: { ...event.properties, hooked: event.properties['$lib'] },
      }),
    ]
    const event = world.make({ properties: { a: 1 } })
    expect(event).toMatchObject({ properties: { a: 1, hooked: 'waymark-node' } })
    expect([event.uuid, event.timestamp]).not.toContain('x')
  })

  it.each([
    ['answers null', () => null],
    [
      'throws',
      () => {
        throw new Error('redactor')
      },
    ],
  ])('that %s drops the event: "neither the original nor the last good version leaves"', (_what, hook) => {
    const world = openMaker()
    world.hooks = [(event) => ({ ...event, event: 'good' }), hook]
    expect(world.text({ event: 'e', distinctId: 'ada' })).toBeUndefined()
    expect(world.drops).toEqual([['e', 'before_send']])
  })

  it.each(['oops', null, undefined, 7, ['a']])(
    'whose answer is %j once it is JSON drops the event: the service would take it, and lose it',
    (json) => {
      const world = openMaker()
      world.hooks = [(event) => ({ ...event, event: 'masked', toJSON: () => json })]
      expect(world.text({ event: 'e', distinctId: 'ada' })).toBeUndefined()
      expect(world.drops).toEqual([['e', 'before_send']])
      expect(world.warnings).toEqual([['before_send failed:', new TypeError('the answer is no event')]])
    },
  )

  it("edits a copy: the caller's objects stay as they are", () => {
    const world = openMaker()
    const properties = { user: { mail: 'a@b.c' } }
    world.hooks = [
      (event) => {
        ;(event.properties['user'] as { mail: string }).mail = '***'
        return event
      },
    ]
    expect(world.propertiesOf({ properties })).toMatchObject({ user: { mail: '***' } })
    expect(properties.user.mail).toBe('a@b.c')
  })
})
