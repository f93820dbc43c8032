import { expect, test } from 'vitest'
import { createDropReporter } from '../../../src/service/ingest/drop-reporter.ts'

const reason = '"properties" must be an object.'

test('reports the first dropped events at once, and later ones once a minute', () => {
  const report = createDropReporter()
  expect(report(1, { count: 1, reason }, 0)).toBe(
    'Project 1: dropped 1 malformed event in batches since the last report. The latest reason: "properties" must be an object.',
  )
  expect(report(1, { count: 2, reason }, 1000)).toBeNull()
  expect(report(1, { count: 3, reason }, 59_999)).toBeNull()
  expect(report(1, { count: 1, reason }, 60_000)).toContain('6 malformed events')
})

test('reports each project separately, also after the clock is set back', () => {
  const report = createDropReporter()
  report(1, { count: 1, reason }, 1_000_000)
  expect(report(2, { count: 1, reason }, 1_000_000)).toContain('Project 2: dropped 1 malformed event')
  expect(report(1, { count: 1, reason }, 0)).toContain('1 malformed event')
})
