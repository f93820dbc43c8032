import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { effectiveLevel, LEVELS } from '../../../src/service/permission/levels.ts'

const { member, administrator, owner } = LEVELS

test.each([
  // An open project: everyone has the higher of both levels.
  [false, member, null, member],
  [false, owner, null, owner],
  [false, member, administrator, administrator],
  [false, owner, member, owner],
  // A private project: without a membership of their own, only administrators and owners come in.
  [true, member, null, null],
  [true, administrator, null, administrator],
  [true, owner, null, owner],
  [true, member, member, member],
  [true, member, administrator, administrator],
  [true, owner, member, owner],
])('in a project (private: %s) levels %s and %s make %s', (isPrivate, parentLevel, explicitLevel, expected) => {
  expect(effectiveLevel({ isPrivate, parentLevel, explicitLevel })).toBe(expected)
})

test('never gives a level that neither membership has', () => {
  const level = fc.constantFrom(member, administrator, owner)
  fc.assert(
    fc.property(fc.boolean(), level, fc.option(level), (isPrivate, parentLevel, explicitLevel) => {
      expect([null, parentLevel, explicitLevel]).toContain(effectiveLevel({ isPrivate, parentLevel, explicitLevel }))
    }),
  )
})
