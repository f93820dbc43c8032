import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { BeforeSend, OutgoingEvent } from '../../../src/capture/before-send.ts'
import { createEventBuilder } from '../../../src/capture/node/event-builder.ts'
import type { EventInput } from '../../../src/capture/node/event-builder.ts'
import { createProcessState } from '../../../src/capture/node/process-state.ts'
import type { RequestContext } from '../../../src/port/request-context.ts'
import { MAX_EVENT_BYTES } from '../../../src/wire/bounds.ts'
import { manualClock } from '../../support/manual-clock.ts'

const AUTOMATIC = { $lib: 'waymark-node', $lib_version: '1.2.3', $is_server: true }

/** An event builder with its inputs and outputs. */
const openBuilder = ({ isOptedOut = false, disableGeoip = false } = {}) => {
  const clock = manualClock(Date.UTC(2026, 0, 2, 3, 4, 5, 6))
  const state = createProcessState({ ...AUTOMATIC, ...(disableGeoip && { $geoip_disable: true }) }, isOptedOut)
  const drops: [event: unknown, reason: string][] = []
  const warnings: unknown[][] = []
  let ids = 0
  const inputs = {
    context: undefined as RequestContext | undefined,
    hooks: [] as BeforeSend[],
    isClosed: false,
  }
  const buildJson = createEventBuilder(
    { beforeSend: () => inputs.hooks },
    {
      clock,
      newId: (now) => `id-${now}-${(ids += 1)}`,
      contexts: { current: () => inputs.context, run: (_context, task) => task() },
      logger: { warn: (...message) => void warnings.push(message), debug: () => undefined },
    },
    state,
    { isClosed: () => inputs.isClosed, drop: (event, reason) => void drops.push([event.event, reason]) },
  )
  /** The event as the service reads it. */
  const make = (input: Partial<EventInput>, allowedNames?: RegExp): OutgoingEvent =>
    JSON.parse(buildJson({ event: 'e', distinctId: 'ada', ...input }, allowedNames)!)
  const propertiesOf = (input: Partial<EventInput>): Record<string, unknown> => make(input).properties
  return Object.assign(inputs, { clock, state, drops, warnings, buildJson, make, propertiesOf })
}

const fail = (): never => {
  throw new TypeError('no')
}

const flagsOf = (properties: Record<string, unknown>) => ({ eventProperties: () => properties })

describe('the envelope', () => {
  it('has all envelope fields, and the automatic properties', () => {
    const { make } = openBuilder()
    const event = make({ event: 'paid', properties: { amount: 12 } })
    expect(event).toEqual({
      event: 'paid',
      distinct_id: 'ada',
      uuid: expect.any(String) as string,
      timestamp: '2026-01-02T03:04:05.006Z',
      properties: { ...AUTOMATIC, distinct_id: 'ada', amount: 12 },
    })
  })

  // Specification: "unique per call even for identical content"
  it('has a new uuid per call, even for equal content', () => {
    const { make } = openBuilder()
    expect(make({}).uuid).not.toBe(make({}).uuid)
  })

  it('keeps a valid uuid of the caller, and ignores an invalid one', () => {
    const { make } = openBuilder()
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
    ['+010000-01-01T00:00:00Z', '2026-01-02T03:04:05.006Z'],
  ])('converts the timestamp %s to %s', (timestamp, expected) => {
    expect(openBuilder().make({ timestamp: timestamp as Date }).timestamp).toBe(expected)
  })

  it.each(['yesterday', '', new Date(NaN), false, 1n, Symbol('x'), { valueOf: fail }])(
    'warns once about the invalid timestamp %s',
    (value) => {
      const { make, warnings } = openBuilder()
      const timestamp = value as Date
      make({ timestamp: new Date(0) })
      make({ timestamp })
      make({ timestamp })
      expect(warnings).toEqual([[expect.stringContaining('timestamp'), 'e']])
    },
  )

  // Specification: "strings inside properties that look like timestamps stay as given"
  it('keeps strings in properties that look like timestamps', () => {
    const at = '2025-01-02T03:04:05+02:00'
    expect(openBuilder().propertiesOf({ properties: { at } })).toMatchObject({ at })
  })

  it('has the time of its capture by default', async () => {
    const { clock, make } = openBuilder()
    const [first] = [make({}), await clock.advance(1)]
    expect([first.timestamp, make({}).timestamp]).toEqual(['2026-01-02T03:04:05.006Z', '2026-01-02T03:04:05.007Z'])
  })

  // Specification: "Caller properties win over super properties, which win over automatic ones"
  it("prefers the caller's properties to registered ones, and those to automatic ones", () => {
    const { propertiesOf, state } = openBuilder()
    state.register({ $lib: 'super', plan: 'super', region: 'super' })
    expect(propertiesOf({ properties: { plan: 'own' } })).toMatchObject({ $lib: 'super', plan: 'own', region: 'super' })
    expect(propertiesOf({ properties: { $lib: 'own' } })).toMatchObject({ $lib: 'own', plan: 'super' })
  })

  // Specification: "custom values keep their JSON type"
  it("keeps the JSON types of the caller's values", () => {
    const properties = { n: 1, t: 'x', b: false, none: null, list: [1, '2', [null]], deep: { a: { b: 1.5 } } }
    expect(openBuilder().propertiesOf({ properties })).toMatchObject(properties)
  })

  it('has $groups with string keys, unless the groups are empty', () => {
    const { propertiesOf } = openBuilder()
    expect(propertiesOf({ groups: { company: 'acme', team: 7 } })).toMatchObject({
      $groups: { company: 'acme', team: '7' },
    })
    expect(propertiesOf({ groups: {} })).not.toHaveProperty('$groups')
  })

  it('has $geoip_disable if the agent or the call sets it', () => {
    expect(openBuilder().propertiesOf({})).not.toHaveProperty('$geoip_disable')
    expect(openBuilder().propertiesOf({ disableGeoip: true })).toMatchObject({ $geoip_disable: true })
    const { propertiesOf } = openBuilder({ disableGeoip: true })
    expect(propertiesOf({})).toMatchObject({ $geoip_disable: true })
    expect(propertiesOf({ disableGeoip: false })).toMatchObject({ $geoip_disable: false })
  })

  // Specification: "`null`/`undefined` option values are left out of the wire"
  it('omits options and properties that are null or undefined', () => {
    const none = { timestamp: null, uuid: null, groups: null, disableGeoip: null, flags: null, properties: null }
    expect(openBuilder().propertiesOf(none as never)).toEqual({ ...AUTOMATIC, distinct_id: 'ada' })
    expect(openBuilder().propertiesOf({ properties: { left: undefined } })).not.toHaveProperty('left')
  })

  it("has the flags of a snapshot, unless the caller's properties override them", () => {
    const flags = flagsOf({ '$feature/beta': true, $active_feature_flags: ['beta'] })
    expect(openBuilder().propertiesOf({ flags, properties: { '$feature/beta': 'mine' } })).toMatchObject({
      '$feature/beta': 'mine',
      $active_feature_flags: ['beta'],
    })
  })

  it('keeps only the allowed properties of a minimal event', () => {
    const { make, state } = openBuilder()
    state.register({ plan: 'pro' })
    const { properties } = make({ properties: { $feature_flag: 'beta', source: 'web' } }, /^(\$|distinct_id$)/)
    expect(properties).toEqual({ ...AUTOMATIC, $feature_flag: 'beta', distinct_id: 'ada' })
  })
})

describe('the distinct id', () => {
  // Specification: "Server without distinct id: take the request context's"
  it("defaults to the request context's", () => {
    const builder = openBuilder()
    builder.context = { distinctId: 'context-user' }
    expect(builder.make({ distinctId: undefined }).distinct_id).toBe('context-user')
    expect(builder.make({ distinctId: 'ada' }).distinct_id).toBe('ada')
    expect(builder.propertiesOf({ distinctId: undefined })).not.toHaveProperty('$process_person_profile')
  })

  // Specification: "else a generated random id and `$process_person_profile: false`"
  it('is a random id without a person profile if call and context have none', () => {
    const { make } = openBuilder()
    const [first, second] = [make({ distinctId: undefined }), make({ distinctId: undefined })]
    expect(first.distinct_id).toMatch(/^id-/)
    expect(first.distinct_id).not.toBe(second.distinct_id)
    expect(first.distinct_id).not.toBe(first.uuid)
    expect(first.properties).toMatchObject({ $process_person_profile: false, distinct_id: first.distinct_id })
  })

  // Specification: "unless the caller set that property"
  it('allows a person profile for a random id if the caller asks for one', () => {
    const { propertiesOf, state } = openBuilder()
    const properties = { $process_person_profile: true }
    expect(propertiesOf({ distinctId: undefined, properties })).toMatchObject(properties)
    state.register(properties)
    expect(propertiesOf({ distinctId: undefined })).toMatchObject(properties)
  })

  it.each(['', '  ', {}, NaN, true])('is random for the invalid id %j, with one warning', (value) => {
    const { make, warnings } = openBuilder()
    const distinctId = value as string
    expect(make({ distinctId }).distinct_id).toMatch(/^id-/)
    make({ distinctId })
    expect(warnings.map(([message]) => message)).toEqual([expect.stringContaining('distinctId')])
  })

  it('becomes a string if it is a number', () => {
    expect(openBuilder().make({ distinctId: 42 })).toMatchObject({
      distinct_id: '42',
      properties: { distinct_id: '42' },
    })
  })

  it("comes with the context's session and properties, which the caller can override", () => {
    const builder = openBuilder()
    builder.state.register({ $current_url: 'registered', plan: 'pro' })
    builder.context = { distinctId: 'x', sessionId: 's', properties: { $current_url: '/pay', $ip: '1.2.3.4' } }
    expect(builder.propertiesOf({ properties: { $ip: 'own' } })).toMatchObject({
      $session_id: 's',
      $current_url: '/pay',
      $ip: 'own',
      plan: 'pro',
    })
  })
})

describe('dropped events', () => {
  // Specification: "Empty or non-string event name: dropped"
  it.each([[''], [' '], [undefined], [null], [7], [{}]])('include an event with the name %j', (event) => {
    const { buildJson, drops } = openBuilder()
    expect(buildJson({ event: event as string, distinctId: 'ada' })).toBeUndefined()
    expect(drops).toEqual([[event, 'invalid_event']])
  })

  it('include all events after shutdown, and while opted out', () => {
    const builder = openBuilder({ isOptedOut: true })
    expect(builder.buildJson({ event: 'a' })).toBeUndefined()
    builder.state.setOptedOut(false)
    expect(builder.buildJson({ event: 'b' })).toBeDefined()
    builder.isClosed = true
    expect(builder.buildJson({ event: 'c' })).toBeUndefined()
    expect(builder.drops).toEqual([
      ['a', 'opted_out'],
      ['c', 'shut_down'],
    ])
  })

  it('include an event that cannot be built, with its name', () => {
    const { buildJson, drops } = openBuilder()
    const input = {
      event: 'paid',
      get distinctId() {
        return fail()
      },
    }
    expect(buildJson(input)).toBeUndefined()
    expect(drops).toEqual([['paid', 'invalid_event']])
  })

  it('include events above the size limit', () => {
    const { buildJson, drops } = openBuilder()
    expect(buildJson({ event: 'big', properties: { text: 'x'.repeat(MAX_EVENT_BYTES) } })).toBeUndefined()
    expect(buildJson({ event: 'small', properties: { text: 'x' } })).toBeDefined()
    expect(drops).toEqual([['big', 'too_large']])
  })

  it.each([[undefined], [null], ['paid'], [42]])(
    'include a call with the argument %j, without an exception',
    (input) => {
      const { buildJson, drops } = openBuilder()
      expect(buildJson(input as never)).toBeUndefined()
      expect(drops.map(([, reason]) => reason)).toEqual(['invalid_event'])
    },
  )
})

describe('properties that JSON cannot represent', () => {
  const cyclic: Record<string, unknown> = { kept: 1 }
  cyclic['self'] = cyclic

  // Specification: "never throws, not even for unserialisable properties (cycles, BigInt, throwing getters)"
  it('are replaced by strings: cycles, BigInt and throwing getters', () => {
    const { propertiesOf } = openBuilder()
    const bad = {
      get boom(): never {
        throw new Error('no')
      },
      kept: 1,
    }
    expect(propertiesOf({ properties: cyclic })).toMatchObject({ kept: 1, self: '[Circular]' })
    expect(propertiesOf({ properties: { n: 1n } })).toMatchObject({ n: '1' })
    expect(propertiesOf({ properties: bad })).toMatchObject({ boom: '[Unreadable]', kept: 1 })
    expect(propertiesOf({ properties: bad, groups: { company: 'acme' } })).toMatchObject({
      boom: '[Unreadable]',
      kept: 1,
    })
  })

  it('are taken from the fields of class instances and the items of arrays', () => {
    class Order {
      total = 5
      toJSON(): string {
        return 'an order'
      }
    }
    const { propertiesOf } = openBuilder()
    expect(propertiesOf({ properties: new Order() })).toMatchObject({ total: 5, $is_server: true })
    expect(propertiesOf({ properties: ['a'] })).toMatchObject({ 0: 'a', $is_server: true })
    expect(propertiesOf({ properties: new Map() })).toEqual({ ...AUTOMATIC, distinct_id: 'ada' })
    expect(propertiesOf({ properties: 'text' as never })).toEqual({ ...AUTOMATIC, distinct_id: 'ada' })
    expect(propertiesOf({ properties: Object.create(null) as object })).toMatchObject(AUTOMATIC)
  })

  it('never cause an exception: the event is built, or its drop is reported', () => {
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
          const builder = openBuilder()
          if (isRequest) builder.context = { distinctId: 'r', properties: { a: 1 } }
          const json = builder.buildJson(input as never)
          if (json === undefined) expect(builder.drops).toHaveLength(1)
          else expect(JSON.parse(json)).toMatchObject({ event: input.event, properties: { $is_server: true } })
        },
      ),
    )
  })
})

describe('before_send', () => {
  it('gets the complete event, and can change all but uuid and timestamp', () => {
    const builder = openBuilder()
    builder.hooks = [
      (event) => ({
        ...event,
        uuid: 'x',
        timestamp: 'y',
        properties: { ...event.properties, hooked: event.properties['$lib'] },
      }),
    ]
    const event = builder.make({ properties: { a: 1 } })
    expect(event).toMatchObject({ properties: { a: 1, hooked: 'waymark-node' } })
    expect([event.uuid, event.timestamp]).not.toContain('x')
  })

  it.each([
    ['returns null', () => null],
    [
      'throws',
      () => {
        throw new Error('redactor')
      },
    ],
  ])('drops the event if a later hook %s', (_title, hook) => {
    const builder = openBuilder()
    builder.hooks = [(event) => ({ ...event, event: 'good' }), hook]
    expect(builder.buildJson({ event: 'e', distinctId: 'ada' })).toBeUndefined()
    expect(builder.drops).toEqual([['e', 'before_send']])
  })

  it.each(['oops', null, undefined, 7, ['a']])('drops the event if its result becomes %j as JSON', (json) => {
    const builder = openBuilder()
    builder.hooks = [(event) => ({ ...event, event: 'masked', toJSON: () => json })]
    expect(builder.buildJson({ event: 'e', distinctId: 'ada' })).toBeUndefined()
    expect(builder.drops).toEqual([['e', 'before_send']])
    expect(builder.warnings).toEqual([['before_send failed:', new TypeError('must return an event or null')]])
  })

  it("gets a deep copy, so that the caller's objects do not change", () => {
    const builder = openBuilder()
    const properties = { user: { mail: 'a@b.c' } }
    builder.hooks = [
      (event) => {
        ;(event.properties['user'] as { mail: string }).mail = '***'
        return event
      },
    ]
    expect(builder.propertiesOf({ properties })).toMatchObject({ user: { mail: '***' } })
    expect(properties.user.mail).toBe('a@b.c')
  })
})
