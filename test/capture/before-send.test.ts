import { describe, expect, it } from 'vitest'
import { runBeforeSend, type BeforeSend, type OutgoingEvent } from '../../src/capture/before-send.ts'

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

  it('may change the event in place', () => {
    const { result } = run((event) => {
      delete event.properties.n
      event.event = 'b'
      return event
    })
    expect(result).toMatchObject({ event: 'b', properties: {} })
  })

  it('leaves what a hook left out of the envelope', () => {
    expect(run(() => ({ event: 'b' }) as never).result).toEqual({ ...event(), event: 'b' })
  })

  it('always leaves an event whose properties are an object', () => {
    expect(run((event) => ({ ...event, properties: null }) as never).result!.properties).toEqual({})
  })
})
