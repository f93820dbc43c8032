import type { CheckSummary } from '../check-history.ts'
import type { ImportSummary } from '../import-options.ts'
import { bytes, count, counted, duration } from './words.ts'

/** What an import has done, for people. */
export const summaryText = (
  summary: ImportSummary,
  rejects: string | undefined,
  journal: string | undefined,
): string => {
  const { sent, batches, bytesRead, bytesSent, durationMs, eventsPerSecond, isComplete, isResumed, isBegunAnew } =
    summary
  if (isComplete && isResumed && bytesRead === 0) {
    return `This import was complete already, with ${counted(sent, 'event')}. To do it again, say --restart.\n`
  }
  return lines([
    isBegunAnew ? 'The journal told of another import, which was finished: this one began anew.' : null,
    `${isComplete ? 'Imported' : 'Stopped: imported'} ${counted(sent, 'event')} in ${counted(batches, 'batch', 'batches')}.`,
    rejectedText(summary, rejects),
    ignoredText(summary),
    `${isResumed ? 'This run: read' : 'Read'} ${bytes(bytesRead)}, sent ${bytes(bytesSent)} in ${duration(durationMs / 1000)}, ${count(eventsPerSecond)} events/s.`,
    ...(isComplete ? [] : [goOnText(journal)]),
  ])
}

/** What a dry run has found, for people. */
export const checkText = (summary: CheckSummary, rejects: string | undefined): string =>
  lines([
    `${counted(summary.valid, 'event')} can be imported. Nothing was sent.`,
    rejectedText(summary, rejects),
    ignoredText(summary),
    `Read ${bytes(summary.bytesRead)} in ${duration(summary.durationMs / 1000)}.`,
    ...(summary.isComplete ? [] : ['Stopped before the end of the input.']),
  ])

/** How an import that has ended early goes on. */
export const goOnText = (journal: string | undefined): string =>
  journal === undefined
    ? 'Without a journal the same command begins anew; what was stored is stored once all the same.'
    : 'Run the same command again to go on.'

const rejectedText = (
  { rejected, rejectedBy }: Pick<ImportSummary, 'rejected' | 'rejectedBy'>,
  path: string | undefined,
): string | null => {
  if (rejected === 0) return null
  const reasons = Object.entries(rejectedBy).map(([reason, times]) => `${count(times)} ${reason}`)
  const place = path === undefined ? 'Name a file by --rejects to see them.' : `They are in ${path}.`
  return `Rejected ${counted(rejected, 'row')}: ${reasons.join(', ')}. ${place}`
}

const ignoredText = ({ ignored }: Pick<ImportSummary, 'ignored'>): string | null =>
  ignored.length === 0 ? null : `Left out, because an event has no such field: ${ignored.join(', ')}.`

const lines = (texts: readonly (string | null)[]): string =>
  texts.map((text) => (text === null ? '' : `${text}\n`)).join('')
