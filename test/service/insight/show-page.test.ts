import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { QueryError } from '../../../src/service/indexer/query-error.ts'
import { askShorter, endPage, showProperties, showText } from '../../../src/service/insight/show-page.ts'
import { MAX_PAGE_BYTES, MAX_SHOWN_VALUE_BYTES } from '../../../src/wire/bounds.ts'

test('shows a long text cut, with a mark, and never half a character', () => {
  const unit = fc.constantFrom('a', 'é', '漢', '😀')
  fc.assert(
    fc.property(unit, fc.nat(3), fc.integer({ min: 2_000, max: 9_000 }), (character, shift, count) => {
      const text = 'x'.repeat(shift) + character.repeat(count)
      const shown = showText(text)
      expect(Buffer.byteLength(shown)).toBeLessThanOrEqual(MAX_SHOWN_VALUE_BYTES)
      if (Buffer.byteLength(text) <= MAX_SHOWN_VALUE_BYTES) expect(shown).toBe(text)
      else {
        expect(shown.endsWith('…')).toBe(true)
        expect(text.startsWith(shown.slice(0, -1))).toBe(true)
        expect(Buffer.byteLength(shown)).toBeGreaterThan(MAX_SHOWN_VALUE_BYTES - 8)
      }
      expect(shown).not.toMatch(/\p{Surrogate}|\uFFFD/u)
    }),
  )
})

test('cuts only the properties that are long', () => {
  const properties = { a: 1, list: Array.from({ length: 9_000 }, () => 1), b: 'b' }
  expect(showProperties(properties)).toEqual({ a: 1, b: 'b', list: expect.stringMatching(/^\[1,1,.*…$/) })
  expect(showProperties({ a: 1 })).toEqual({ a: 1 })
})

test('ends a page at its bound, but never before the first row', () => {
  const row = 'x'.repeat(MAX_PAGE_BYTES / 4)
  expect(endPage([row, row, row, row, row])).toHaveLength(3)
  expect(endPage([row.repeat(8), row])).toHaveLength(1)
  expect(endPage([1, 2])).toEqual([1, 2])
})

test('asks for fewer rows only while the answer is too large', async () => {
  const asked: number[] = []
  const ask = (code: 'memory' | 'timeout', enough: number) => (limit: number) => {
    asked.push(limit)
    return limit <= enough ? Promise.resolve(limit) : Promise.reject(new QueryError(code, 'No.'))
  }
  expect(await askShorter(100, ask('memory', 2))).toBe(2)
  expect(asked).toEqual([100, 25, 7, 2])
  await expect(askShorter(100, ask('memory', 0))).rejects.toThrow('No.')
  asked.length = 0
  await expect(askShorter(100, ask('timeout', 2))).rejects.toThrow('No.')
  expect(asked).toEqual([100])
})
