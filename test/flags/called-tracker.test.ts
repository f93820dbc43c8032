import { expect, it } from 'vitest'
import { createCalledTracker } from '../../src/flags/called-tracker.ts'

it('forgets the oldest read, one at a time, above a thousand', () => {
  const tracker = createCalledTracker(['first', 'second'])
  for (let read = 0; read < 999; read++) expect(tracker._mark(`flag\t${read}`)).toBe(true)
  expect(tracker._list()).toHaveLength(1_000)
  expect(tracker._mark('second')).toBe(false)
  expect(tracker._mark('first')).toBe(true)
  expect(tracker._list()).toHaveLength(1_000)
  expect(tracker._mark('second')).toBe(true)
})
