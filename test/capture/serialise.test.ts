import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { serialise } from '../../src/capture/serialise.ts'

describe('serialise', () => {
  it('is JSON.stringify for what JSON can carry', () => {
    fc.assert(
      fc.property(fc.object({ withBigInt: false, withDate: true, withNullPrototype: true }), (value) => {
        expect(serialise(value)).toBe(JSON.stringify(value))
      }),
    )
  })

  it('never throws, and always gives JSON, for any object', () => {
    const wild = fc.object({
      withBigInt: true,
      withBoxedValues: true,
      withMap: true,
      withSet: true,
      withTypedArray: true,
    })
    fc.assert(
      fc.property(wild, fc.boolean(), (value, isCyclic) => {
        if (isCyclic) value.self = [value]
        expect(() => JSON.parse(serialise({ value }))).not.toThrow()
      }),
    )
  })

  it('puts a word in the place of what it cannot carry, and keeps the rest', () => {
    const cycle: Record<string, unknown> = { name: 'cycle' }
    cycle.self = cycle
    const { proxy, revoke } = Proxy.revocable({}, {})
    revoke()
    const value = {
      kept: 'yes',
      big: 7n,
      cycle,
      date: new Date(0),
      list: [1n, undefined, 2],
      proxy,
      get bad(): never {
        throw new Error('no')
      },
      json: {
        toJSON: () => {
          throw new Error('no')
        },
      },
    }
    expect(JSON.parse(serialise(value))).toEqual({
      kept: 'yes',
      big: '[BigInt 7]',
      cycle: { name: 'cycle', self: '[Circular]' },
      date: '1970-01-01T00:00:00.000Z',
      list: ['[BigInt 1]', null, 2],
      proxy: '[Unreadable]',
      bad: '[Unreadable]',
      json: '[Unreadable]',
    })
  })

  it('repeats an object that stands in two places: that is no cycle', () => {
    const shared = { a: 1 }
    expect(JSON.parse(serialise({ one: shared, two: shared, big: 1n }))).toMatchObject({ one: { a: 1 }, two: { a: 1 } })
  })

  it('gives up on what is nested deeper than the stack, not on the event', () => {
    let deep: unknown = 1
    for (let level = 0; level < 50_000; level++) deep = [deep]
    expect(JSON.parse(serialise({ kept: 1, deep }))).toMatchObject({ kept: 1 })
  })
})
