import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { serialise } from '../../src/capture/serialise.ts'
import { addPrototypeMethods } from '../support/add-prototype-methods.ts'
import { measureCpuMs } from '../support/cpu-time.ts'

describe('serialise', () => {
  it('equals JSON.stringify for plain values', () => {
    fc.assert(
      fc.property(fc.object({ withBigInt: false, withDate: true, withNullPrototype: true }), (value) => {
        expect(serialise(value)).toBe(JSON.stringify(value))
      }),
    )
  })

  it('returns JSON for any object and never throws', () => {
    const anyObject = fc.object({
      withBigInt: true,
      withBoxedValues: true,
      withMap: true,
      withSet: true,
      withTypedArray: true,
    })
    fc.assert(
      fc.property(anyObject, fc.boolean(), (value, isCyclic) => {
        if (isCyclic) value.self = [value]
        expect(() => JSON.parse(serialise({ value }))).not.toThrow()
      }),
    )
  })

  it('replaces values that JSON cannot represent, and keeps all others', () => {
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
      big: '7',
      cycle: { name: 'cycle', self: '[Circular]' },
      date: '1970-01-01T00:00:00.000Z',
      list: ['1', null, 2],
      proxy: '[Unreadable]',
      bad: '[Unreadable]',
      json: '[Unreadable]',
    })
  })

  it('keeps lists, dates and errors beside Prototype.js, whose lists and dates have a toJSON', () => {
    const removeMethods = addPrototypeMethods()
    let json
    try {
      json = serialise({
        big: 7n,
        list: [1, [2]],
        date: new Date(0),
        invalid: new Date(NaN),
        errors: [new Error('first')],
      })
    } finally {
      removeMethods()
    }
    expect(JSON.parse(json)).toEqual({
      big: '7',
      list: [1, [2]],
      date: '1970-01-01T00:00:00.000Z',
      invalid: null,
      errors: [{ name: 'Error', message: 'first' }],
    })
  })

  it('reads errors in lists beside Prototype.js', () => {
    const removeMethods = addPrototypeMethods()
    let json
    try {
      json = serialise({ errors: [new Error('first')] })
    } finally {
      removeMethods()
    }
    expect(JSON.parse(json)).toEqual({ errors: [{ name: 'Error', message: 'first' }] })
  })

  it.each([new Error('broken'), new Map([['a', 1]]), new Set([1])])(
    'writes all other values beside %s as JSON does',
    (hidden) => {
      const other = {
        list: Array.from({ length: 12_000 }, (_, index) => index),
        boxed: [new String('hi'), new Number(1), new Boolean(false)],
        self: {
          a: 1,
          toJSON() {
            return this
          },
        },
        date: new Date(0),
      }
      const written = JSON.parse(serialise({ hidden, other })) as { other: unknown }
      expect(JSON.stringify(written.other)).toBe(JSON.stringify(other))
    },
  )

  it('takes limited time when sets share their items, level by level', () => {
    let shared = new Set<unknown>([1])
    for (let level = 0; level < 60; level++) shared = new Set([[shared], [shared]])
    let json = ''
    expect(measureCpuMs(() => (json = serialise({ kept: 1, shared })))).toBeLessThan(5_000)
    expect(JSON.parse(json)).toMatchObject({ kept: 1 })
  })

  it('keeps both copies of an object that appears twice without a cycle', () => {
    const shared = { a: 1 }
    expect(JSON.parse(serialise({ first: shared, second: shared, big: 1n }))).toMatchObject({
      first: { a: 1 },
      second: { a: 1 },
    })
  })

  it('keeps the other properties when one is nested deeper than the stack', () => {
    let deep: unknown = 1
    for (let level = 0; level < 50_000; level++) deep = [deep]
    expect(JSON.parse(serialise({ kept: 1, deep }))).toMatchObject({ kept: 1 })
  })

  it('takes limited time and space when all objects refer to each other', () => {
    const nodes = Array.from({ length: 12 }, (): Record<string, unknown> => ({}))
    for (const node of nodes) nodes.forEach((target, index) => (node[`to ${index}`] = target))
    let json = ''
    expect(measureCpuMs(() => (json = serialise({ kept: 1, nodes })))).toBeLessThan(1_000)
    expect(json.length).toBeLessThan(500_000)
    const { kept, nodes: copies } = JSON.parse(json) as { kept: number; nodes: readonly Record<string, unknown>[] }
    expect([kept, copies.length, copies[0]!['to 0']]).toEqual([1, nodes.length, '[Circular]'])
  })

  it('keeps the properties before a long chain of objects that refer back', () => {
    const chain = Array.from({ length: 20_000 }, (): Record<string, unknown> => ({ data: new Uint8Array(100) }))
    chain.forEach((node, index) => Object.assign(node, { next: chain[index + 1], back: chain[index >> 1] }))
    const json = serialise({ kept: 1, chain: chain[0] })
    expect(json.length).toBeLessThan(5_000_000)
    expect(JSON.parse(json)).toMatchObject({ kept: 1 })
  })
})
