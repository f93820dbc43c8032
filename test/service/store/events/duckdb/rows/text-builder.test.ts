import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { createTextBuilder } from '../../../../../../src/service/store/events/duckdb/rows/text-builder.ts'

test('keeps strings and bytes of any length at the places that it returns', () => {
  const part = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.string({ unit: 'grapheme-ascii', minLength: 40, maxLength: 200 }),
  )
  fc.assert(
    fc.property(fc.array(fc.tuple(part, fc.boolean())), (parts) => {
      const text = createTextBuilder(1)
      const places = parts.map(([string, asBytes]) => {
        const bytes = Buffer.from(`x${string}x`)
        const start = asBytes ? text.addBytes(bytes, 1, bytes.length - 1) : text.addString(string)
        return [start, text.length()] as const
      })
      const taken = text.take()
      expect(places.map(([start, end]) => Buffer.from(taken.subarray(start, end)).toString())).toEqual(
        parts.map(([string]) => string),
      )
    }),
  )
})

test('replaces lone surrogates, which are not valid UTF-8', () => {
  const text = createTextBuilder(1)
  text.addString('a\ud800b')
  text.addString(`\udc00${'long'.repeat(20)}`)
  expect(Buffer.from(text.take()).toString()).toBe(`a\ufffdb\ufffd${'long'.repeat(20)}`)
})

test('starts again when it is cleared', () => {
  const text = createTextBuilder(8)
  text.addString('a long string before')
  text.clear()
  expect(text.addString('after')).toBe(0)
  expect(text.bytes().toString()).toBe('after')
})
