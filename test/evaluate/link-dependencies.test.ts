import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { linkDependencies } from '../../src/evaluate/link-dependencies.ts'

const link = (dependencies: Readonly<Record<string, readonly string[]>>): unknown =>
  Object.fromEntries(linkDependencies(new Map(Object.entries(dependencies))))

describe('linkDependencies', () => {
  it('orders all that a flag takes, leafmost first, itself last', () => {
    expect(link({ d: ['c'], c: ['a', 'b'], b: ['a'], a: [] })).toEqual({
      a: ['a'],
      b: ['a', 'b'],
      c: ['a', 'b', 'c'],
      d: ['a', 'b', 'c', 'd'],
    })
  })

  it('has nothing for flags on a circle and behind one', () => {
    expect(link({ a: ['b'], b: ['a'], c: ['c'], d: ['a'], e: [] })).toEqual({ e: ['e'] })
  })

  it('passes over what is no flag', () => {
    expect(link({ a: ['gone'], b: ['a', 'gone'] })).toEqual({ a: ['a'], b: ['a', 'b'] })
  })

  it('has nothing for flags that take more than 100', () => {
    const row = Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => [`f${n}`, n === 0 ? [] : [`f${n - 1}`]]))
    const chains = linkDependencies(new Map(Object.entries(row)))
    expect(chains.get('f99')).toHaveLength(100)
    expect(chains.has('f100')).toBe(false)
    expect(chains.has('f4999')).toBe(false)
  })

  it('puts every flag after those it asks for, in any graph', () => {
    const keys = ['a', 'b', 'c', 'd', 'e', 'f']
    const graph = fc.dictionary(fc.constantFrom(...keys), fc.uniqueArray(fc.constantFrom(...keys)))
    fc.assert(
      fc.property(graph, (dependencies) => {
        const chains = linkDependencies(new Map(Object.entries(dependencies)))
        for (const [key, chain] of chains) {
          expect(chain.at(-1)).toBe(key)
          expect(new Set(chain).size).toBe(chain.length)
          chain.forEach((flag, at) => {
            for (const need of dependencies[flag]!) if (dependencies[need]) expect(chain.slice(0, at)).toContain(need)
          })
        }
      }),
    )
  })
})
