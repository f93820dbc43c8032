import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { orderDependencies } from '../../src/evaluate/order-dependencies.ts'

const orderOf = (dependencies: Readonly<Record<string, readonly string[]>>): unknown =>
  Object.fromEntries(orderDependencies(new Map(Object.entries(dependencies))))

describe('orderDependencies', () => {
  it('puts dependencies first and the flag itself last', () => {
    expect(orderOf({ d: ['c'], c: ['a', 'b'], b: ['a'], a: [] })).toEqual({
      a: ['a'],
      b: ['a', 'b'],
      c: ['a', 'b', 'c'],
      d: ['a', 'b', 'c', 'd'],
    })
  })

  it('leaves out flags in a cycle and their dependants', () => {
    expect(orderOf({ a: ['b'], b: ['a'], c: ['c'], d: ['a'], e: [] })).toEqual({ e: ['e'] })
  })

  it('ignores dependencies that are not flags', () => {
    expect(orderOf({ a: ['gone'], b: ['a', 'gone'] })).toEqual({ a: ['a'], b: ['a', 'b'] })
  })

  it('leaves out flags that need more than 100 flags', () => {
    const chainedFlags = Object.fromEntries(
      Array.from({ length: 5_000 }, (_, n) => [`f${n}`, n === 0 ? [] : [`f${n - 1}`]]),
    )
    const orders = orderDependencies(new Map(Object.entries(chainedFlags)))
    expect(orders.get('f99')).toHaveLength(100)
    expect(orders.has('f100')).toBe(false)
    expect(orders.has('f4999')).toBe(false)
  })

  it('puts every flag after its dependencies in any graph', () => {
    const keys = ['a', 'b', 'c', 'd', 'e', 'f']
    const graph = fc.dictionary(fc.constantFrom(...keys), fc.uniqueArray(fc.constantFrom(...keys)))
    fc.assert(
      fc.property(graph, (dependencies) => {
        const orders = orderDependencies(new Map(Object.entries(dependencies)))
        for (const [key, flagOrder] of orders) {
          expect(flagOrder.at(-1)).toBe(key)
          expect(new Set(flagOrder).size).toBe(flagOrder.length)
          flagOrder.forEach((flag, index) => {
            for (const dependency of dependencies[flag]!)
              if (dependencies[dependency]) expect(flagOrder.slice(0, index)).toContain(dependency)
          })
        }
      }),
    )
  })
})
