import { describe, expect, it } from 'vitest'
import { createConversionCollector } from '../../../../src/service/insight/funnel/collect-conversions.ts'
import { MATCH_ALL } from '../../../../src/service/insight/filter/condition.ts'

const MINUTE_MS = 60_000
const PERIODS = 1000

describe('a collector of conversions', () => {
  it('refuses to follow very many events again for each of many periods', () => {
    const starts = Array.from({ length: PERIODS }, (_, index) => index * MINUTE_MS)
    const collector = createConversionCollector({
      steps: [MATCH_ALL, MATCH_ALL],
      order: 'ordered',
      windowMs: PERIODS * MINUTE_MS,
      exclusions: [],
      breakdown: null,
      view: { kind: 'rates', fromStep: 0, toStep: 1, periods: { starts } },
    })
    const addEvents = (count: number): void => {
      const times = Float64Array.from({ length: count }, (_, index) => (index * PERIODS * MINUTE_MS) / count)
      collector.add({ count, times, masks: new Int32Array(count).fill(1) }, () => [])
    }
    addEvents(2000)
    expect(collector.answer().groups).toEqual([{ values: [], numbers: { kind: 'rates', rates: starts.map(() => 0) } }])
    expect(() => addEvents(200_000)).toThrow('someone has 200000 events in 1000 periods')
  })
})
