import { expect, test } from 'vitest'
import { NO_LOSSES } from '../../../src/service/ingest/event-losses.ts'
import type { EventLosses } from '../../../src/service/ingest/event-losses.ts'
import { createLossReporter } from '../../../src/service/ingest/loss-reporter.ts'

const detail = '"properties" must be an object.'
const malformed = (count: number): EventLosses => ({
  ...NO_LOSSES,
  dropped: { ...NO_LOSSES.dropped, malformed: count },
  detail,
})

test('reports the first lost events at once, and later ones once a minute', () => {
  const { report, totals } = createLossReporter()
  expect(report(1, malformed(1), 0)).toBe(
    'Project 1, since the last report: 1 event not stored (malformed 1). The latest reason: "properties" must be an object.',
  )
  expect(report(1, malformed(2), 1000)).toBeNull()
  expect(report(1, malformed(3), 59_999)).toBeNull()
  expect(report(1, malformed(1), 60_000)).toContain('6 events not stored (malformed 6)')
  expect(totals().dropped.malformed).toBe(7)
})

test('reports each project separately, also after the clock is set back', () => {
  const { report } = createLossReporter()
  report(1, malformed(1), 1_000_000)
  expect(report(2, malformed(1), 1_000_000)).toContain('Project 2, since')
  expect(report(1, malformed(1), 0)).toContain('1 event not stored')
})

test('reports each reason, and what was cut', () => {
  const { report, totals } = createLossReporter()
  const losses = {
    dropped: { ...NO_LOSSES.dropped, no_distinct_id: 2, too_large: 1 },
    cut: { eventNames: 1, properties: 2, groups: 1 },
    detail: 'It is long.',
  }
  expect(report(1, losses, 0)).toBe(
    'Project 1, since the last report: 3 events not stored (no_distinct_id 2, too_large 1), 1 event name cut, ' +
      '2 properties left out, 1 group left out. The latest reason: It is long.',
  )
  report(2, losses, 0)
  expect(totals()).toEqual({
    dropped: { ...NO_LOSSES.dropped, no_distinct_id: 4, too_large: 2 },
    cut: { eventNames: 2, properties: 4, groups: 2 },
  })
})
