import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { toWellFormedJson } from '../../../../src/service/store/events/to-well-formed-json.ts'

describe('toWellFormedJson', () => {
  it('replaces lone surrogates in keys and values', () => {
    expect(toWellFormedJson({ ['\ud800k']: ['a\udc00', { b: '\ud83d' }] })).toBe(
      '{"\uFFFDk":["a\uFFFD",{"b":"\uFFFD"}]}',
    )
  })

  it('keeps surrogate pairs and a backslash before "ud"', () => {
    expect(JSON.parse(toWellFormedJson({ a: '😀', b: String.raw`\ud800` }))).toEqual({ a: '😀', b: String.raw`\ud800` })
  })

  it('equals JSON.stringify for well-formed strings', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(toWellFormedJson(value as never)).toBe(JSON.stringify(value))
      }),
    )
  })
})
