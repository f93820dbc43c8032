import { expect, test } from 'vitest'
import { lastCoveredRow, positionAfterRow, positionBeforeEvent } from '../../../src/service/store/row-position.ts'

test('the last complete row is the one before a row that is complete in part', () => {
  expect(lastCoveredRow(positionAfterRow(7))).toBe(7)
  expect(lastCoveredRow(positionBeforeEvent({ inboxRow: 7, ordinal: 2 }))).toBe(6)
})
