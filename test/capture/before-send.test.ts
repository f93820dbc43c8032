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

const runHooks = (...hooks: BeforeSend[]): { result: OutgoingEvent | undefined; errors: unknown[] } => {
  const errors: unknown[] = []
  return { result: runBeforeSend(hooks, event(), (error) => errors.push(error)), errors }
}

const addProperty =
  (key: string): BeforeSend =>
  (event) => ({ ...event, properties: { ...event.properties, [key]: true } })

describe('before_send', () => {
  it('changes nothing without hooks', () => {
    expect(runHooks().result).toEqual(event())
  })

  it('runs hooks in order, each on the result of the hook before it', () => {
    expect(Object.keys(runHooks(addProperty('first'), addProperty('second')).result!.properties)).toEqual([
      'n',
      'first',
      'second',
    ])
  })

  it.each([[null], [undefined]])('drops the event and skips later hooks when a hook returns %s', (hookResult) => {
    let isCalled = false
    const { result, errors } = runHooks(
      () => hookResult,
      (event) => {
        isCalled = true
        return event
      },
    )
    expect([result, errors, isCalled]).toEqual([undefined, [], false])
  })

  it('drops the event when a later hook throws', () => {
    const { result, errors } = runHooks(addProperty('good'), () => {
      throw new Error('no')
    })
    expect(result).toBeUndefined()
    expect(errors).toEqual([new Error('no')])
  })

  it('drops the event and reports the error when an async hook rejects', async () => {
    const { result, errors } = runHooks((async () => {
      throw new Error('later')
    }) as unknown as BeforeSend)
    expect(result).toBeUndefined()
    await Promise.resolve()
    expect(errors).toEqual([new TypeError('not an event'), new Error('later')])
  })

  it('lets a hook change the event in place', () => {
    const { result } = runHooks((event) => {
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
    ['a string', 'b'],
    ['no event name', { ...event(), event: undefined }],
    ['an empty event name', { ...event(), event: '' }],
    ['no distinct id', { ...event(), distinct_id: undefined }],
    ['NaN as distinct id', { ...event(), distinct_id: NaN }],
  ])('drops the event when a hook returns %s', (_name, hookResult) => {
    const { result, errors } = runHooks(addProperty('good'), () => hookResult as never)
    expect([result, errors.length]).toEqual([undefined, 1])
  })

  it.each([
    ['other ones', { uuid: 'other', timestamp: 'never' }],
    ['none', { uuid: undefined, timestamp: undefined }],
  ])('restores uuid and timestamp when a hook sets %s', (_name, envelope) => {
    expect(runHooks((outgoing) => ({ ...outgoing, ...envelope }) as never).result).toEqual(event())
    expect(runHooks((outgoing) => Object.assign(outgoing, envelope) as never).result).toEqual(event())
  })

  it('passes a deep copy to the hooks, so that other events do not change', () => {
    const shared = { ...event(), properties: { $groups: { company: 'acme' }, $active_feature_flags: ['beta'] } }
    const edit: BeforeSend = (outgoing) => {
      Object.assign(outgoing.properties.$groups as object, { company: 'other' })
      ;(outgoing.properties.$active_feature_flags as string[]).push('edited')
      return outgoing
    }
    const edited = { $groups: { company: 'other' }, $active_feature_flags: ['beta', 'edited'] }
    expect(runBeforeSend([edit], shared, () => {})!.properties).toEqual(edited)
    expect(shared.properties).toEqual({ $groups: { company: 'acme' }, $active_feature_flags: ['beta'] })
  })

  it("copies a hook's distinct id to the properties, unless the hook set it there", () => {
    const original = { ...event(), properties: { distinct_id: 'd' } }
    const hashId =
      (properties: object): BeforeSend =>
      (outgoing) => ({ ...outgoing, distinct_id: 'hashed', properties: { ...outgoing.properties, ...properties } })
    const distinctIdInProperties = (...hooks: BeforeSend[]): unknown =>
      runBeforeSend(hooks, original, () => {})!.properties.distinct_id
    expect([
      distinctIdInProperties(hashId({})),
      distinctIdInProperties(hashId({ distinct_id: 'own' })),
      distinctIdInProperties(addProperty('x')),
    ]).toEqual(['hashed', 'own', 'd'])
    expect(runHooks(hashId({})).result!.properties).toEqual({ n: 1 })
  })

  it('replaces null properties by an empty object', () => {
    expect(runHooks((event) => ({ ...event, properties: null }) as never).result!.properties).toEqual({})
  })
})
