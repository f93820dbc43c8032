import type { ImportProgress } from '../import-options.ts'
import type { RetryWait } from '../retries.ts'
import { bytes, count, counted, duration } from './words.ts'

/** Progress in one line. */
export const progressText = (progress: ImportProgress): string => {
  const { bytesRead, bytesTotal, sent, rejected, eventsPerSecond, secondsLeft } = progress
  const read = bytesTotal ? `${Math.floor((100 * bytesRead) / bytesTotal)} %` : `${bytes(bytesRead)} read`
  return [
    read,
    `${counted(sent, 'event')} sent`,
    `${count(rejected)} rejected`,
    `${count(eventsPerSecond)} events/s`,
    ...(secondsLeft === null ? [] : [`${duration(secondsLeft)} left`]),
  ].join(', ')
}

/** What is waited for. */
export const waitText = ({ because, afterMs }: RetryWait): string =>
  `The service does not take events now (${because}); next try in ${duration(afterMs / 1000)}.`
