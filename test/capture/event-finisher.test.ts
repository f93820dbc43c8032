import { describe, expect, it } from 'vitest'
import type { BeforeSend, OutgoingEvent } from '../../src/capture/before-send.ts'
import type { DropReason } from '../../src/capture/drop-reason.ts'
import { createEventFinisher } from '../../src/capture/event-finisher.ts'
import type { EventEnvelope } from '../../src/capture/event-finisher.ts'
import {
  MAX_EVENT_BYTES,
  MAX_EVENT_NAME_CHARACTERS,
  MAX_ID_CHARACTERS,
  MAX_PROPERTY_NAME_CHARACTERS,
} from '../../src/wire/bounds.ts'

const envelope: EventEnvelope = { uuid: 'u', event: 'a', distinct_id: 'd', timestamp: '2026-01-01T00:00:00.000Z' }

const openFinisher = ({ hooks = [] as BeforeSend[], fastJson = undefined as string | undefined } = {}) => {
  const drops: [event: OutgoingEvent, reason: DropReason][] = []
  const warnings: unknown[][] = []
  const debugs: unknown[][] = []
  const finish = createEventFinisher<readonly object[]>(
    { beforeSend: () => hooks },
    { warn: (...message) => void warnings.push(message), debug: (...entry) => void debugs.push([...entry]) },
    (event, reason) => void drops.push([event, reason]),
    () => fastJson,
    (shared) => shared,
  )
  return { finish, drops, warnings, debugs }
}

describe('the end of a capture', () => {
  it('returns the fast JSON when nothing can change the event', () => {
    const { finish } = openFinisher({ fastJson: '{"fast":1}' })
    expect(finish(envelope, {}, [], undefined, undefined)).toBe('{"fast":1}')
  })

  it('serialises the whole event otherwise; own properties win over shared ones', () => {
    const { finish } = openFinisher({ fastJson: '{"fast":1}', hooks: [(event) => event] })
    const json = finish(envelope, { b: 'own' }, [{ a: 'first', b: 'first' }, { a: 'second' }], undefined, undefined)
    expect(JSON.parse(json!)).toEqual({ ...envelope, properties: { a: 'second', b: 'own', distinct_id: 'd' } })
  })

  it('keeps only the allowed names', () => {
    const { finish } = openFinisher()
    const json = finish(envelope, { a: 1, b: 2 }, [{ c: 3 }], undefined, /^[ac]$/)
    expect(JSON.parse(json!).properties).toEqual({ a: 1, c: 3 })
  })

  it('drops the event for the given reason without calling the hooks', () => {
    const { finish, drops } = openFinisher({ hooks: [() => expect.fail('called')] })
    expect(finish(envelope, { a: 1 }, [], 'opted_out', undefined)).toBeUndefined()
    expect(drops).toEqual([[{ ...envelope, properties: { a: 1, distinct_id: 'd' } }, 'opted_out']])
  })

  it('drops an event that a hook has dropped, or that is too large after the hooks', () => {
    const dropping = openFinisher({ hooks: [() => null] })
    expect(dropping.finish(envelope, {}, [], undefined, undefined)).toBeUndefined()
    expect(dropping.drops[0]![1]).toBe('before_send')
    const text = 'x'.repeat(MAX_EVENT_BYTES)
    const large = openFinisher({ hooks: [(event) => ({ ...event, event: 'renamed', properties: { text } })] })
    expect(large.finish(envelope, {}, [], undefined, undefined)).toBeUndefined()
    expect(large.drops).toMatchObject([[{ event: 'renamed' }, 'too_large']])
  })

  it('warns of a hook that throws', () => {
    const error = new Error('redactor')
    const { finish, drops, warnings } = openFinisher({
      hooks: [
        () => {
          throw error
        },
      ],
    })
    expect(finish(envelope, {}, [], undefined, undefined)).toBeUndefined()
    expect(drops[0]![1]).toBe('before_send')
    expect(warnings).toEqual([['before_send failed:', error]])
  })
})

describe('the bounds of an event', () => {
  const longName = 'n'.repeat(MAX_PROPERTY_NAME_CHARACTERS + 1)
  const finishOne = (own: object, changes: Partial<EventEnvelope> = {}, hooks: BeforeSend[] = []) => {
    const opened = openFinisher({ hooks })
    return { ...opened, json: opened.finish({ ...envelope, ...changes }, own, [], undefined, undefined) }
  }

  it('cut a long name of the event, even if the fast JSON exists', () => {
    const opened = openFinisher({ fastJson: '{"fast":1}' })
    const event = 'e'.repeat(MAX_EVENT_NAME_CHARACTERS + 1)
    const json = opened.finish({ ...envelope, event }, {}, [], undefined, undefined)
    expect(JSON.parse(json!).event).toBe('e'.repeat(MAX_EVENT_NAME_CHARACTERS))
    expect(opened.drops).toEqual([])
  })

  it('leave out properties with long names, of the event and of the person', () => {
    const { json, warnings } = finishOne({ a: 1, [longName]: 2, $set: { b: 3, [longName]: 4 } })
    expect(JSON.parse(json!).properties).toEqual({ a: 1, $set: { b: 3 }, distinct_id: 'd' })
    expect(warnings).toEqual([['event cut:', 'a']])
  })

  it('leave out entries of $groups with long types or keys', () => {
    const key = 'k'.repeat(MAX_ID_CHARACTERS + 1)
    const { json } = finishOne({ $groups: { company: 'acme', team: key, [key]: 'x' } })
    expect(JSON.parse(json!).properties).toEqual({ $groups: { company: 'acme' }, distinct_id: 'd' })
  })

  it('leave out values that nest too deep', () => {
    const deep = JSON.parse('['.repeat(199) + ']'.repeat(199))
    const { json } = finishOne({ a: 1, deep }, {}, [(event) => Object.assign(event, { also: deep })])
    expect(JSON.parse(json!)).toEqual({ ...envelope, properties: { a: 1, distinct_id: 'd' } })
  })

  const longId = 'i'.repeat(MAX_ID_CHARACTERS + 1)
  it.each<[name: string, own: object, changes: Partial<EventEnvelope>]>([
    ['distinct id', {}, { distinct_id: longId }],
    ['device id', { $device_id: longId }, {}],
    ['anonymous id', { $anon_distinct_id: longId }, { event: '$identify' }],
    ['alias', { alias: longId }, { event: '$create_alias' }],
    ['group type', { $group_type: longId, $group_key: 'a' }, { event: '$groupidentify' }],
    ['group key', { $group_type: 'a', $group_key: { toJSON: () => longId } }, { event: '$group_identify' }],
  ])('drop an event with a long %s', (_name, own, changes) => {
    const { json, drops } = finishOne(own, changes)
    expect(json).toBeUndefined()
    expect(drops).toMatchObject([[{ ...envelope, ...changes }, 'id_too_long']])
  })

  it('drop an event whose name is blank after it was cut, or whose properties became none', () => {
    const blank = finishOne({}, { event: `${' '.repeat(MAX_EVENT_NAME_CHARACTERS)}a` })
    expect(blank.drops[0]![1]).toBe('invalid_event')
    const odd = finishOne({ toJSON: () => 'odd' })
    expect(odd.drops[0]![1]).toBe('invalid_event')
  })

  it('hold for what before_send returns', () => {
    const { json } = finishOne({}, {}, [(event) => Object.assign(event, { $set: { [longName]: 1, b: 2 } })])
    expect(JSON.parse(json!).$set).toEqual({ b: 2 })
    const dropped = finishOne({}, {}, [(event) => ({ ...event, distinct_id: longId })])
    expect(dropped.drops[0]![1]).toBe('id_too_long')
  })

  it('keep everything that is exactly as long as it may be', () => {
    const properties = {
      ['n'.repeat(MAX_PROPERTY_NAME_CHARACTERS)]: 'a long value'.repeat(1_000),
      $groups: { ['t'.repeat(MAX_ID_CHARACTERS)]: 'k'.repeat(MAX_ID_CHARACTERS) },
      $device_id: 'i'.repeat(MAX_ID_CHARACTERS),
      deep: JSON.parse('['.repeat(198) + ']'.repeat(198)),
    }
    const changes = { event: 'e'.repeat(MAX_EVENT_NAME_CHARACTERS), distinct_id: 'd'.repeat(MAX_ID_CHARACTERS) }
    const { json, warnings } = finishOne(properties, changes)
    expect(JSON.parse(json!)).toEqual({
      ...envelope,
      ...changes,
      properties: { ...properties, distinct_id: changes.distinct_id },
    })
    expect(warnings).toEqual([])
  })

  it('warn of the first cut, and report all of them in debug mode', () => {
    const { finish, warnings, debugs } = openFinisher()
    for (const event of ['one', 'two']) finish({ ...envelope, event }, { [longName]: 1 }, [], undefined, undefined)
    const message = 'event cut:'
    expect([warnings, debugs]).toEqual([[[message, 'one']], [['repeated', message, 'two']]])
  })

  it('count the bytes of an event, not its characters', () => {
    const fitting = MAX_EVENT_BYTES - JSON.stringify({ ...envelope, properties: { text: '', distinct_id: 'd' } }).length
    const tooLarge = finishOne({ text: 'ä'.repeat(Math.floor(fitting / 2) + 1) })
    expect(tooLarge.drops[0]![1]).toBe('too_large')
    expect(finishOne({ text: 'ä'.repeat(Math.floor(fitting / 2)) }).json).toBeDefined()
  })
})
