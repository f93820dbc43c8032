import { describe, expect, it } from 'vitest'
import { runBeforeSend } from '../../src/capture/before-send.ts'
import type { BeforeSend, OutgoingEvent } from '../../src/capture/before-send.ts'

const event = (): OutgoingEvent => ({
  uuid: 'u',
  event: 'a',
  distinct_id: 'd',
  timestamp: '2026-01-01T00:00:00.000Z',
  properties: { n: 1 },
})

const run = (...hooks: BeforeSend[]): { result: OutgoingEvent | undefined; errors: unknown[] } => {
  const errors: unknown[] = []
  return { result: runBeforeSend(hooks, event(), (error) => errors.push(error)), errors }
}

const add =
  (key: string): BeforeSend =>
  (event) => ({ ...event, properties: { ...event.properties, [key]: true } })

describe('before_send', () => {
  it('without hooks changes nothing', () => {
    expect(run().result).toEqual(event())
  })

  it('runs in order, each hook on the answer of the one before', () => {
    expect(Object.keys(run(add('first'), add('second')).result!.properties)).toEqual(['n', 'first', 'second'])
  })

  it.each([[null], [undefined]])('that answers %s drops the event and ends the chain', (answer) => {
    let isCalled = false
    const { result, errors } = run(
      () => answer,
      (event) => {
        isCalled = true
        return event
      },
    )
    expect([result, errors, isCalled]).toEqual([undefined, [], false])
  })

  it('that throws drops the event, also after a good hook', () => {
    const { result, errors } = run(add('good'), () => {
      throw new Error('no')
    })
    expect(result).toBeUndefined()
    expect(errors).toEqual([new Error('no')])
  })

  it('that is an async function and rejects drops the event, and is told: an unhandled rejection would end a server', async () => {
    const { result, errors } = run((async () => {
      throw new Error('later')
    }) as unknown as BeforeSend)
    expect(result).toBeUndefined()
    await Promise.resolve()
    expect(errors).toEqual([new TypeError('the answer is no event'), new Error('later')])
  })

  it('may change the event in place', () => {
    const { result } = run((event) => {
      delete event.properties.n
      event.event = 'b'
      return event
    })
    expect(result!.event).toBe('b')
    expect(result!.properties).not.toHaveProperty('n')
  })

  it.each([
    ['a promise', Promise.resolve(event())],
    ['true', true],
    ['false', false],
    ['a text', 'b'],
    ['no event name', { ...event(), event: undefined }],
    ['an empty event name', { ...event(), event: '' }],
    ['no distinct id', { ...event(), distinct_id: undefined }],
    ['a distinct id that is no text', { ...event(), distinct_id: 7 }],
  ])('that answers %s drops the event: it may have been the redactor', (_name, answer) => {
    const { result, errors } = run(add('good'), () => answer as never)
    expect([result, errors.length]).toEqual([undefined, 1])
  })

  it.each([
    ['another', { uuid: 'other', timestamp: 'never' }],
    ['no', { uuid: undefined, timestamp: undefined }],
  ])('that gives the event %s uuid and timestamp is corrected, also when it edits in place', (_name, envelope) => {
    expect(run((given) => ({ ...given, ...envelope }) as never).result).toEqual(event())
    expect(run((given) => Object.assign(given, envelope) as never).result).toEqual(event())
  })

  it('edits a copy: nothing that the event shares with others changes', () => {
    const shared = { ...event(), properties: { $groups: { company: 'acme' }, $active_feature_flags: ['beta'] } }
    const edit: BeforeSend = (given) => {
      Object.assign(given.properties.$groups as object, { company: 'other' })
      ;(given.properties.$active_feature_flags as string[]).push('edited')
      return given
    }
    const edited = { $groups: { company: 'other' }, $active_feature_flags: ['beta', 'edited'] }
    expect(runBeforeSend([edit], shared, () => {})!.properties).toEqual(edited)
    expect(shared.properties).toEqual({ $groups: { company: 'acme' }, $active_feature_flags: ['beta'] })
  })

  it('redacts the id everywhere: its copy among the properties follows, unless the hook has set that', () => {
    const given = { ...event(), properties: { distinct_id: 'd' } }
    const hash =
      (properties: object): BeforeSend =>
      (found) => ({ ...found, distinct_id: 'hashed', properties: { ...found.properties, ...properties } })
    const idOf = (...hooks: BeforeSend[]): unknown => runBeforeSend(hooks, given, () => {})!.properties.distinct_id
    expect([idOf(hash({})), idOf(hash({ distinct_id: 'own' })), idOf(add('x'))]).toEqual(['hashed', 'own', 'd'])
    expect(run(hash({})).result!.properties).toEqual({ n: 1 })
  })

  it('always leaves an event whose properties are an object', () => {
    expect(run((event) => ({ ...event, properties: null }) as never).result!.properties).toEqual({})
  })
})
