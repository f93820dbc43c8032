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

  it('takes no longer, and no more room, for objects that all refer to each other', () => {
    const all = Array.from({ length: 12 }, (): Record<string, unknown> => ({}))
    for (const one of all) all.forEach((other, index) => (one[`to ${index}`] = other))
    const started = performance.now()
    const json = serialise({ kept: 1, all })
    expect(performance.now() - started).toBeLessThan(1_000)
    expect(json.length).toBeLessThan(500_000)
    const { kept, all: copies } = JSON.parse(json) as { kept: number; all: readonly Record<string, unknown>[] }
    expect([kept, copies.length, copies[0]!['to 0']]).toEqual([1, all.length, '[Circular]'])
  })

  it('keeps what stands before a long chain of objects that refer back', () => {
    const chain = Array.from({ length: 20_000 }, (): Record<string, unknown> => ({ data: new Uint8Array(100) }))
    chain.forEach((one, index) => Object.assign(one, { next: chain[index + 1], back: chain[index >> 1] }))
    const json = serialise({ kept: 1, chain: chain[0] })
    expect(json.length).toBeLessThan(5_000_000)
    expect(JSON.parse(json)).toMatchObject({ kept: 1 })
  })
})
