import { expect, test } from 'vitest'
import { formatProgress, formatWait } from '../../../src/command/import/format-progress.ts'
import { createProgressLog } from '../../../src/command/import/progress-display.ts'
import { formatCheckSummary, formatSummary } from '../../../src/command/import/format-summary.ts'
import type { ImportProgress, ImportSummary } from '../../../src/import/import-options.ts'

const PROGRESS: ImportProgress = {
  bytesRead: 1_500_000,
  bytesTotal: 2_000_000,
  sent: 12_345,
  rejected: 1,
  eventsPerSecond: 4000.4,
  secondsLeft: 75,
  wait: null,
}

const SUMMARY: ImportSummary = {
  sent: 12_345,
  rejected: 3,
  rejectedBy: { invalid_json: 2, no_timestamp: 1 },
  batches: 3,
  bytesRead: 2_000_000,
  bytesSent: 300_000,
  durationMs: 3000,
  eventsPerSecond: 4115,
  ignored: ['team_id'],
  isComplete: true,
  isResumed: false,
  isBegunAnew: false,
}

test('progress shows counts and rate, and for a file also percentage and time left', () => {
  expect(formatProgress(PROGRESS)).toBe('75 %, 12,345 events sent, 1 rejected, 4,000 events/s, 1 min 15 s left')
  expect(formatProgress({ ...PROGRESS, bytesTotal: null, secondsLeft: null })).toBe(
    '1.5 MB read, 12,345 events sent, 1 rejected, 4,000 events/s',
  )
})

test('a progress log writes a line every ten seconds and a line for each wait', () => {
  const lines: string[] = []
  let now = 0
  const { show } = createProgressLog(
    (line) => lines.push(line),
    () => now,
  )
  for (; now <= 25_000; now += 1000) show(PROGRESS)
  expect(lines).toEqual([`${formatProgress(PROGRESS)}\n`, `${formatProgress(PROGRESS)}\n`])
  const wait = { afterMs: 4000, because: '503', failures: 2 }
  show({ ...PROGRESS, wait })
  expect(lines.at(-1)).toBe(`${formatWait(wait)}\n`)
  expect(formatWait(wait)).toBe('The service accepts no events now (503); next attempt in 4.0 s.')
})

test('the summary says what was imported, rejected and ignored', () => {
  expect(formatSummary(SUMMARY, 'r.ndjson', 'j')).toBe(
    [
      'Imported 12,345 events in 3 batches.',
      'Rejected 3 rows: 2 invalid_json, 1 no_timestamp. They are in r.ndjson.',
      'Not imported, because an event has no such field: team_id.',
      'Read 2.0 MB, sent 300 kB in 3.0 s, 4,115 events/s.\n',
    ].join('\n'),
  )
})

test('the summary says that a run was stopped or resumed, and how to continue', () => {
  const summaryWithoutRejects = { ...SUMMARY, rejected: 0, rejectedBy: {}, ignored: [] }
  expect(formatSummary({ ...summaryWithoutRejects, isComplete: false, isResumed: true }, undefined, 'j')).toBe(
    'Stopped: imported 12,345 events in 3 batches.\nThis run: read 2.0 MB, sent 300 kB in 3.0 s, 4,115 events/s.\nRun the same command again to continue.\n',
  )
  expect(formatSummary({ ...summaryWithoutRejects, isComplete: false }, undefined, undefined)).toContain(
    'There is no journal',
  )
  expect(formatSummary({ ...summaryWithoutRejects, isBegunAnew: true }, undefined, 'j')).toMatch(
    /^The journal belonged to another, finished import\. This import started from the beginning\.\nImported/,
  )
  expect(formatSummary({ ...summaryWithoutRejects, isResumed: true, bytesRead: 0 }, undefined, 'j')).toBe(
    'This import was already complete, with 12,345 events. Use --restart to run it again.\n',
  )
})

test('the summary of a dry run says what could be imported', () => {
  const { rejected, rejectedBy, bytesRead, durationMs, ignored } = SUMMARY
  const check = { valid: 1, rejected, rejectedBy, bytesRead, durationMs, ignored, isComplete: false }
  expect(formatCheckSummary(check, undefined)).toBe(
    [
      '1 event can be imported. Nothing was sent.',
      'Rejected 3 rows: 2 invalid_json, 1 no_timestamp. Use --rejects PATH to write them to a file.',
      'Not imported, because an event has no such field: team_id.',
      'Read 2.0 MB in 3.0 s.',
      'Stopped before the end of the input.\n',
    ].join('\n'),
  )
})
