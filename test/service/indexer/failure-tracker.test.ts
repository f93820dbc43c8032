import { expect, test } from 'vitest'
import { createFailureTracker } from '../../../src/service/indexer/failure-tracker.ts'

test('reports the oldest current reason, once for each change', () => {
  const reported: (string | null)[] = []
  const failures = createFailureTracker((reason) => reported.push(reason))
  failures.set('store 1', null)
  failures.set('store 1', 'one is damaged')
  failures.set('store 1', 'one is damaged')
  failures.set('store 2', 'two is damaged')
  expect([failures.has('store 1'), failures.has('store 2'), failures.has('inbox')]).toEqual([true, true, false])
  failures.set('store 1', null)
  failures.set('store 2', null)
  expect(reported).toEqual(['one is damaged', 'two is damaged', null])
})
