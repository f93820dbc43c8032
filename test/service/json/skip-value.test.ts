import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { skipValue } from '../../../src/service/json/skip-value.ts'
import { valueText } from '../support/json-text.ts'

test('ends behind a value of any form', () => {
  fc.assert(
    fc.property(valueText, fc.constantFrom(',', ' ', '}', ']', '\n'), (text, next) => {
      const bytes = Buffer.from(`${text}${next}"more"`)
      expect(skipValue(bytes, 0)).toBe(Buffer.byteLength(text))
    }),
  )
})

test('does not end where the value does not', () => {
  for (const text of ['"a', String.raw`"a\"`, '[1', '{"a":1', '{"a":"b', '12', ''])
    expect(skipValue(Buffer.from(text), 0)).toBe(-1)
})
