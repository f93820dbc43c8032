import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { jsonText } from '../../../../src/service/store/events/json-text.ts'

describe('jsonText', () => {
  it('writes half a surrogate pair as the replacement character, in keys and values', () => {
    expect(jsonText({ ['\ud800k']: ['a\udc00', { b: '\ud83d' }] })).toBe('{"\uFFFDk":["a\uFFFD",{"b":"\uFFFD"}]}')
  })

  it('keeps whole pairs and a backslash before "ud"', () => {
    expect(JSON.parse(jsonText({ a: '😀', b: String.raw`\ud800` }))).toEqual({ a: '😀', b: String.raw`\ud800` })
  })

  it('gives what JSON.stringify gives for well-formed text', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(jsonText(value as never)).toBe(JSON.stringify(value))
      }),
    )
  })
})
