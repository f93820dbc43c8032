import type { ImportProgress } from '../../import/import-options.ts'
import type { RetryWait } from '../../import/retries.ts'
import { formatBytes, formatCount, formatDuration, formatNumber } from './format-numbers.ts'

/** Formats progress as one line. */
export const formatProgress = (progress: ImportProgress): string => {
  const { bytesRead, bytesTotal, sent, rejected, eventsPerSecond, secondsLeft } = progress
  const share = bytesTotal ? `${Math.floor((100 * bytesRead) / bytesTotal)} %` : `${formatBytes(bytesRead)} read`
  return [
    share,
    `${formatCount(sent, 'event')} sent`,
    `${formatNumber(rejected)} rejected`,
    `${formatNumber(eventsPerSecond)} events/s`,
    ...(secondsLeft === null ? [] : [`${formatDuration(secondsLeft)} left`]),
  ].join(', ')
}

/** Formats a wait for the service as one line. */
export const formatWait = ({ because, afterMs }: RetryWait): string =>
  `The service accepts no events now (${because}); next attempt in ${formatDuration(afterMs / 1000)}.`
