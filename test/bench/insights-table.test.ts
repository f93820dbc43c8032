import { expect, it } from 'vitest'
import { INSIGHTS_BEGIN, INSIGHTS_END, insightsTable } from './insights-table.mjs'

const times = { firstMs: 100, p50Ms: 50, p95Ms: 80 }
const question = (overrides: object): object => ({
  name: 'retention',
  goalMs: 200,
  alone: times,
  whileEventsArrive: { p50Ms: 100, p95Ms: 200 },
  clickHouse: { firstMs: 300, p50Ms: 20, p95Ms: 80 },
  ...overrides,
})
const table = (overrides: object, askingP99Ms = 15): string =>
  insightsTable({
    eventCount: 10_000_000,
    days: 90,
    runs: 20,
    loadBefore: 0.1,
    questions: [question(overrides)],
    acknowledgement: { eventsPerSecond: 2000, quiet: { p99Ms: 10 }, asking: { p99Ms: askingP99Ms } },
    clickHouse: { version: '26.1', bytesPerEvent: 100 },
  })

it('shows the times of a question, its goal at the limit, and the ratio of ClickHouse to ours', () => {
  expect(table({})).toContain(
    '| retention | 100 | 50 | 80 | 100 | 200 | ≤ 200: **met** | 300 (3x) | 20 (0.4x) | 80 (1x) |',
  )
  expect(table({ whileEventsArrive: { p50Ms: 100, p95Ms: 201 } })).toContain('≤ 200: **not met**')
})

it('shows why a question was refused', () => {
  expect(table({ alone: { error: 'Too many.\nAsk for less.' } })).toContain(
    '| retention | refused | `Too many.` |  |  |  | ≤ 200: **not met** | 300 | 20 | 80 |',
  )
})

it('allows acknowledgements to take half as long again', () => {
  expect(table({}, 15)).toContain('1.50 times as long; goal ≤ 1.5: **met**')
  expect(table({}, 15.1)).toContain('**not met**')
})

it('leaves the table out before the first measurement', () => {
  expect(insightsTable(undefined)).toBe(`${INSIGHTS_BEGIN}\n${INSIGHTS_END}`)
})
