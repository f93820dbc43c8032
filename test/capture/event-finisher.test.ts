import { describe, expect, it } from 'vitest'
import type { BeforeSend, OutgoingEvent } from '../../src/capture/before-send.ts'
import type { DropReason } from '../../src/capture/drop-reason.ts'
import { createEventFinisher } from '../../src/capture/event-finisher.ts'
import type { EventEnvelope } from '../../src/capture/event-finisher.ts'

const envelope: EventEnvelope = { uuid: 'u', event: 'a', distinct_id: 'd', timestamp: '2026-01-01T00:00:00.000Z' }

const openFinisher = ({
  hooks = [] as BeforeSend[],
  maxEventLength = 1_000,
  fastJson = undefined as string | undefined,
} = {}) => {
  const drops: [event: OutgoingEvent, reason: DropReason][] = []
  const warnings: unknown[][] = []
  const finish = createEventFinisher<readonly object[]>(
    { beforeSend: () => hooks, maxEventLength },
    { warn: (...message) => void warnings.push(message), debug: () => {} },
    (event, reason) => void drops.push([event, reason]),
    () => fastJson,
    (shared) => shared,
  )
  return { finish, drops, warnings }
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
    const large = openFinisher({ hooks: [(event) => ({ ...event, event: 'renamed' })], maxEventLength: 10 })
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
