import { expect, it } from 'vitest'
import { isMergeableId } from '../../src/wire/is-mergeable-id.ts'
import { isNonBlankString } from '../../src/wire/is-non-blank-string.ts'
import { isNonEmptyString } from '../../src/wire/is-non-empty-string.ts'

it.each([
  ['a', true, true],
  [' a ', true, true],
  [' \t\n', true, false],
  ['', false, false],
  [7, false, false],
  [null, false, false],
])('%j is non-empty: %s, non-blank: %s', (value, isNonEmpty, isNonBlank) => {
  expect(isNonEmptyString(value)).toBe(isNonEmpty)
  expect(isNonBlankString(value)).toBe(isNonBlank)
})

it.each(['\0', ' \0\t'])('%j is blank, as databases do not store NUL', (value) => {
  expect(isNonBlankString(value)).toBe(false)
  expect(isMergeableId(value)).toBe(false)
})
