import { expect, test } from 'vitest'
import { progressText, waitText } from '../../../src/import/command/progress-text.ts'
import { progressLines } from '../../../src/import/command/show-progress.ts'
import { checkText, summaryText } from '../../../src/import/command/summary-text.ts'
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

test('progress tells how much is read, sent and rejected, rate and time left; of a stream no share and no time', () => {
  expect(progressText(PROGRESS)).toBe('75 %, 12,345 events sent, 1 rejected, 4,000 events/s, 1 min 15 s left')
  expect(progressText({ ...PROGRESS, bytesTotal: null, secondsLeft: null })).toBe(
    '1.5 MB read, 12,345 events sent, 1 rejected, 4,000 events/s',
  )
})

test('in a log a line comes every ten seconds, and one for each wait', () => {
  const lines: string[] = []
  let now = 0
  const { show } = progressLines(
    (line) => lines.push(line),
    () => now,
  )
  for (; now <= 25_000; now += 1000) show(PROGRESS)
  expect(lines).toEqual([`${progressText(PROGRESS)}\n`, `${progressText(PROGRESS)}\n`])
  const wait = { afterMs: 4000, because: '503', failures: 2 }
  show({ ...PROGRESS, wait })
  expect(lines.at(-1)).toBe(`${waitText(wait)}\n`)
  expect(waitText(wait)).toBe('The service does not take events now (503); next try in 4.0 s.')
})

test('the summary tells what was imported, rejected and left out', () => {
  expect(summaryText(SUMMARY, 'r.ndjson', 'j')).toBe(
    [
      'Imported 12,345 events in 3 batches.',
      'Rejected 3 rows: 2 invalid_json, 1 no_timestamp. They are in r.ndjson.',
      'Left out, because an event has no such field: team_id.',
      'Read 2.0 MB, sent 300 kB in 3.0 s, 4,115 events/s.\n',
    ].join('\n'),
  )
})

test('the summary of a run that was stopped, resumed or begun anew says so, and how to go on', () => {
  const clean = { ...SUMMARY, rejected: 0, rejectedBy: {}, ignored: [] }
  expect(summaryText({ ...clean, isComplete: false, isResumed: true }, undefined, 'j')).toBe(
    'Stopped: imported 12,345 events in 3 batches.\nThis run: read 2.0 MB, sent 300 kB in 3.0 s, 4,115 events/s.\nRun the same command again to go on.\n',
  )
  expect(summaryText({ ...clean, isComplete: false }, undefined, undefined)).toContain('Without a journal')
  expect(summaryText({ ...clean, isBegunAnew: true }, undefined, 'j')).toMatch(
    /^The journal told of another import, which was finished: this one began anew\.\nImported/,
  )
  expect(summaryText({ ...clean, isResumed: true, bytesRead: 0 }, undefined, 'j')).toBe(
    'This import was complete already, with 12,345 events. To do it again, say --restart.\n',
  )
})

test('a dry run tells what could be imported', () => {
  const { rejected, rejectedBy, bytesRead, durationMs, ignored } = SUMMARY
  const check = { valid: 1, rejected, rejectedBy, bytesRead, durationMs, ignored, isComplete: false }
  expect(checkText(check, undefined)).toBe(
    [
      '1 event can be imported. Nothing was sent.',
      'Rejected 3 rows: 2 invalid_json, 1 no_timestamp. Name a file by --rejects to see them.',
      'Left out, because an event has no such field: team_id.',
      'Read 2.0 MB in 3.0 s.',
      'Stopped before the end of the input.\n',
    ].join('\n'),
  )
})
