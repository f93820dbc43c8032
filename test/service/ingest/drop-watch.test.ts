import { expect, test } from 'vitest'
import { createDropWatch } from '../../../src/service/ingest/drop-watch.ts'

const reason = '"properties" must be an object.'

test('tells of dropped events at once, then once a minute with all that came between', () => {
  const watch = createDropWatch()
  expect(watch(1, { count: 1, reason }, 0)).toBe(
    'Project 1: 1 event in batches dropped since this was last said; the latest: "properties" must be an object.',
  )
  expect(watch(1, { count: 2, reason }, 1000)).toBeNull()
  expect(watch(1, { count: 3, reason }, 59_999)).toBeNull()
  expect(watch(1, { count: 1, reason }, 60_000)).toContain('6 events')
})

test('keeps projects apart, and goes on when the clock is set back', () => {
  const watch = createDropWatch()
  watch(1, { count: 1, reason }, 1_000_000)
  expect(watch(2, { count: 1, reason }, 1_000_000)).toContain('Project 2: 1 event')
  expect(watch(1, { count: 1, reason }, 0)).toContain('1 event')
})
