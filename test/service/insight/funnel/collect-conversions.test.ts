import { describe, expect, it } from 'vitest'
import { createConversionCollector } from '../../../../src/service/insight/funnel/collect-conversions.ts'
import { MATCH_ALL } from '../../../../src/service/insight/filter/condition.ts'
import { FUNNEL_ORDERS } from '../../../../src/service/insight/question/funnel.ts'
import { finishWork } from '../../support/finish-work.ts'

const MINUTE_MS = 60_000
const PERIODS = 100

describe('a collector of conversions', () => {
  it.each(FUNNEL_ORDERS)('can be stopped while it follows the events of one actor (%s)', (order) => {
    const starts = Array.from({ length: PERIODS }, (_, index) => index * MINUTE_MS)
    const collector = createConversionCollector({
      steps: [MATCH_ALL, MATCH_ALL],
      optionalSteps: [],
      order,
      windowMs: PERIODS * MINUTE_MS,
      exclusions: [],
      breakdown: null,
      view: { kind: 'rates', fromStep: 0, toStep: 1, periods: { starts } },
    })
    const count = 5000
    const times = Float64Array.from({ length: count }, (_, index) => (index * PERIODS * MINUTE_MS) / count)
    const work = collector.add(
      { count, times, masks: new Int32Array(count).fill(1) },
      () => '',
      () => null,
    )
    // The events after each period are followed again.
    expect([...work].length).toBeGreaterThan(10)
    const numbers = { kind: 'rates', rates: starts.map(() => 0) }
    expect(finishWork(collector.answer()).groups).toEqual([{ values: [], numbers }])
  })
})
