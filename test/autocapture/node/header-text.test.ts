import { array, assert, constantFrom, oneof, property, string } from 'fast-check'
import { describe, expect, it } from 'vitest'
import { headerOf, headerText } from '../../../src/autocapture/node/header-text.ts'

/** behaviour.md 21: "headers case-insensitive, first of an array, trimmed, control characters removed, 1 000 chars, empty means absent" */
describe('a header', () => {
  it.each([
    ['as it is', 'user 1', 'user 1'],
    ['trimmed', ' \t user-1  ', 'user-1'],
    ['control characters removed', 'us\u0000e\nr\u007f-\u00851', 'user-1'],
    ['trimmed of what stood behind a control character', '\u0001 user-1', 'user-1'],
    ['letters beyond ASCII kept', 'jürgen ✓', 'jürgen ✓'],
    ['1,000 characters', 'x'.repeat(1_000), 'x'.repeat(1_000)],
    ['cut off at 1,000 characters', 'x'.repeat(1_001), 'x'.repeat(1_000)],
    ['the first of an array', ['first', 'second'], 'first'],
    ['the first that says something', ['', ' ', 'second'], 'second'],
    ['absent when empty', '', undefined],
    ['absent when nothing is left', ' \r\n\u0000 ', undefined],
    ['absent when it is none', undefined, undefined],
    ['absent when null', null, undefined],
    ['absent in an empty array', [], undefined],
    ['absent when it is no text', [{}, 7], undefined],
  ])('is %s', (_, given, expected) => {
    expect(headerText(given)).toBe(expected)
  })

  it('never has control characters, outer spaces or more than 1,000 characters, and comes out of itself unchanged', () => {
    const nasty = oneof(
      string({ unit: 'binary-ascii', maxLength: 50 }),
      array(constantFrom('a', ' ', '\u0000', '\u009f', 'b'.repeat(990))).map((parts) => parts.join('')),
    )
    assert(
      property(nasty, (text) => {
        const clean = headerText(text)
        if (clean === undefined) return
        expect(clean).not.toMatch(/[\p{Cc}]/u)
        expect(clean.length).toBeLessThanOrEqual(1_000)
        expect(clean.trim()).toBe(clean)
        expect(headerText(clean)).toBe(clean)
      }),
    )
  })

  it.each(['x-posthog-distinct-id', 'X-POSTHOG-DISTINCT-ID', 'X-PostHog-Distinct-Id'])('is found as %s', (name) => {
    expect(headerOf({ headers: { 'x-posthog-distinct-ip': 'no', [name]: 'user-1' } }, 'x-posthog-distinct-id')).toBe(
      'user-1',
    )
  })

  it('is not found under another name, nor among what every object has', () => {
    expect(headerOf({ headers: { 'x-posthog': 'user-1' } }, 'x-posthog-distinct-id')).toBeUndefined()
  })

  it.each([
    ['is several where Node has joined them', ['X-Id', 'a, b', 'x-id', 'c'], ['a, b', 'c']],
    ['is one where it came as one', ['Host', 'x', 'X-Id', 'a, b, c'], ['a, b, c']],
    ['is what somebody has made of it since', ['X-Id', 'a', 'X-Id', 'c'], 'a, b, c'],
    ['is not mistaken for a value that looks like its name', ['Other', 'x-id', 'a, b', 'c'], 'a, b, c'],
    ['is as it stands where nothing tells how it came', undefined, 'a, b, c'],
  ])('%s', (_, rawHeaders, expected) => {
    expect(headerOf({ headers: { 'x-id': 'a, b, c' }, rawHeaders }, 'x-id')).toEqual(expected)
  })
})
