import { array, assert, constantFrom, oneof, property, string } from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findHeader, cleanHeaderValue } from '../../../src/autocapture/node/header-value.ts'

/** Specification, section 21: "headers case-insensitive, first of an array, trimmed, control characters removed, 1 000 chars, empty means absent" */
describe('a header value', () => {
  it.each([
    ['unchanged', 'user 1', 'user 1'],
    ['trimmed', ' \t user-1  ', 'user-1'],
    ['control characters removed', 'us\u0000e\nr\u007f-\u00851', 'user-1'],
    ['trimmed after a control character', '\u0001 user-1', 'user-1'],
    ['kept with non-ASCII letters', 'jürgen ✓', 'jürgen ✓'],
    ['kept at 1,000 characters', 'x'.repeat(1_000), 'x'.repeat(1_000)],
    ['cut off at 1,000 characters', 'x'.repeat(1_001), 'x'.repeat(1_000)],
    ['the first of an array', ['first', 'second'], 'first'],
    ['the first non-empty one of an array', ['', ' ', 'second'], 'second'],
    ['undefined when empty', '', undefined],
    ['undefined when nothing is left', ' \r\n\u0000 ', undefined],
    ['undefined when missing', undefined, undefined],
    ['undefined when null', null, undefined],
    ['undefined for an empty array', [], undefined],
    ['undefined when not a string', [{}, 7], undefined],
  ])('is %s', (_, value, expected) => {
    expect(cleanHeaderValue(value)).toBe(expected)
  })

  it('is trimmed, at most 1,000 characters long, and has no control characters', () => {
    const input = oneof(
      string({ unit: 'binary-ascii', maxLength: 50 }),
      array(constantFrom('a', ' ', '\u0000', '\u009f', 'b'.repeat(990))).map((parts) => parts.join('')),
    )
    assert(
      property(input, (value) => {
        const clean = cleanHeaderValue(value)
        if (clean === undefined) return
        expect(clean).not.toMatch(/[\p{Cc}]/u)
        expect(clean.length).toBeLessThanOrEqual(1_000)
        expect(clean.trim()).toBe(clean)
        expect(cleanHeaderValue(clean)).toBe(clean)
      }),
    )
  })

  it.each(['x-posthog-distinct-id', 'X-POSTHOG-DISTINCT-ID', 'X-PostHog-Distinct-Id'])(
    'is found under the name %s',
    (name) => {
      expect(
        findHeader({ headers: { 'x-posthog-distinct-ip': 'no', [name]: 'user-1' } }, 'x-posthog-distinct-id'),
      ).toBe('user-1')
    },
  )

  it('is not found by the start of its name', () => {
    expect(findHeader({ headers: { 'x-posthog': 'user-1' } }, 'x-posthog-distinct-id')).toBeUndefined()
  })

  it.each([
    ['is split where Node has joined it', ['X-Id', 'a, b', 'x-id', 'c'], ['a, b', 'c']],
    ['is not split if it was received as one', ['Host', 'x', 'X-Id', 'a, b, c'], ['a, b, c']],
    ['is not split if other code has changed it', ['X-Id', 'a', 'X-Id', 'c'], 'a, b, c'],
    ['is not confused with a value equal to its name', ['Other', 'x-id', 'a, b', 'c'], 'a, b, c'],
    ['is not split without rawHeaders', undefined, 'a, b, c'],
  ])('%s', (_, rawHeaders, expected) => {
    expect(findHeader({ headers: { 'x-id': 'a, b, c' }, rawHeaders }, 'x-id')).toEqual(expected)
  })
})
