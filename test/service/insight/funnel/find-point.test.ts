import { expect, test } from 'vitest'
import { MATCH_ALL } from '../../../../src/service/insight/filter/condition.ts'
import { FilterError } from '../../../../src/service/insight/filter/filter-error.ts'
import { findSteps } from '../../../../src/service/insight/funnel/find-point.ts'

test.each([
  [1, 'must be 1'],
  [2, 'must be from 1 to 2, or -2 for those who did not do the step'],
  [3, 'must be from 1 to 3, or from -2 to -3 for those who did not do the step'],
])('tells which steps a funnel of %d has', (count, rule) => {
  const funnel = { steps: Array.from({ length: count }, () => MATCH_ALL), optionalSteps: [] }
  for (const step of [0, -1, count + 1, -count - 1])
    expect(() => findSteps(step, funnel, 'step')).toThrow(new FilterError('step', rule))
})
