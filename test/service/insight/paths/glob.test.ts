import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createGlobTest } from '../../../../src/service/insight/paths/glob.ts'

describe('a glob', () => {
  test.each([
    ['/a', '/a', true],
    ['/a', '/a/b', false],
    ['/a/*', '/a/', true],
    ['/a/*', '/a', false],
    ['*', '', true],
    ['*ab*ab', 'ab', false],
    ['*ab*ab', 'xabyab', true],
    ['a*a', 'a', false],
    ['', '', true],
    ['a.c', 'abc', false],
    ['a*c', 'a\n/c', true],
  ])('%j and %j: %j', (glob, text, expected) => {
    expect(createGlobTest(glob)(text)).toBe(expected)
  })

  test('matches as a regular expression does', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 8 })
    const glob = fc.string({ unit: fc.constantFrom('a', 'b', '*'), maxLength: 6 })
    fc.assert(
      fc.property(glob, text, (pattern, value) => {
        expect(createGlobTest(pattern)(value)).toBe(new RegExp(`^${pattern.replaceAll('*', '.*')}$`).test(value))
      }),
    )
  })

  test('is fast for many stars and a long text', () => {
    const startedAt = performance.now()
    expect(createGlobTest(`${'*a'.repeat(500)}*b`)('a'.repeat(100_000))).toBe(false)
    expect(performance.now() - startedAt).toBeLessThan(500)
  })
})
