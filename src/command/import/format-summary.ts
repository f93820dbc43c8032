import type { CheckSummary } from '../../import/check-history.ts'
import type { ImportSummary } from '../../import/import-options.ts'
import { formatBytes, formatCount, formatDuration, formatNumber } from './format-numbers.ts'

/**
 * Formats the summary of an import for people.
 *
 * @param rejects Path of the rejects file, if there is one.
 * @param journal Path of the journal, if there is one.
 */
export const formatSummary = (
  summary: ImportSummary,
  rejects: string | undefined,
  journal: string | undefined,
): string => {
  const { sent, batches, bytesRead, bytesSent, durationMs, eventsPerSecond, isComplete, isResumed, isBegunAnew } =
    summary
  if (isComplete && isResumed && bytesRead === 0) {
    return `This import was already complete, with ${formatCount(sent, 'event')}. Use --restart to run it again.\n`
  }
  return joinLines([
    isBegunAnew ? 'The journal belonged to another, finished import. This import started from the beginning.' : null,
    `${isComplete ? 'Imported' : 'Stopped: imported'} ${formatCount(sent, 'event')} in ${formatCount(batches, 'batch', 'batches')}.`,
    formatRejected(summary, rejects),
    formatIgnored(summary),
    `${isResumed ? 'This run: read' : 'Read'} ${formatBytes(bytesRead)}, sent ${formatBytes(bytesSent)} in ${formatDuration(durationMs / 1000)}, ${formatNumber(eventsPerSecond)} events/s.`,
    ...(isComplete ? [] : [formatResumeHint(journal)]),
  ])
}

/** Formats the summary of a dry run for people. */
export const formatCheckSummary = (summary: CheckSummary, rejects: string | undefined): string =>
  joinLines([
    `${formatCount(summary.valid, 'event')} can be imported. Nothing was sent.`,
    formatRejected(summary, rejects),
    formatIgnored(summary),
    `Read ${formatBytes(summary.bytesRead)} in ${formatDuration(summary.durationMs / 1000)}.`,
    ...(summary.isComplete ? [] : ['Stopped before the end of the input.']),
  ])

/** Says how to continue an import that ended early. */
export const formatResumeHint = (journal: string | undefined): string =>
  journal === undefined
    ? 'There is no journal: the same command starts from the beginning. Events that are already stored are not stored twice.'
    : 'Run the same command again to continue.'

const formatRejected = (
  { rejected, rejectedBy }: Pick<ImportSummary, 'rejected' | 'rejectedBy'>,
  path: string | undefined,
): string | null => {
  if (rejected === 0) return null
  const reasons = Object.entries(rejectedBy).map(([reason, count]) => `${formatNumber(count)} ${reason}`)
  const hint = path === undefined ? 'Use --rejects PATH to write them to a file.' : `They are in ${path}.`
  return `Rejected ${formatCount(rejected, 'row')}: ${reasons.join(', ')}. ${hint}`
}

const formatIgnored = ({ ignored }: Pick<ImportSummary, 'ignored'>): string | null =>
  ignored.length === 0 ? null : `Not imported, because an event has no such field: ${ignored.join(', ')}.`

const joinLines = (lines: readonly (string | null)[]): string =>
  lines.map((line) => (line === null ? '' : `${line}\n`)).join('')
