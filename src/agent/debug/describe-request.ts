import type { SentEvents } from '../../port/debug-entry.ts'

/** What came back, and when. */
const describeResult = (status: number | undefined, durationMs: number): string =>
  status === undefined
    ? 'given to the browser as a beacon, without a response'
    : `${status || 'no response'} after ${durationMs} ms`

/** Describes a request without events. */
export const describeRequest = (url: string, status: number, durationMs: number): string =>
  `request to ${url}: ${describeResult(status, durationMs)}`

/** Describes a request with events: what was sent where in which form, and what came back. */
export const describeEvents = (
  { url, events, status, encoding, bytesBefore, bytesAfter }: SentEvents,
  durationMs: number,
): string => {
  const form = encoding === 'plain' ? 'plain JSON' : `${encoding} of ${bytesBefore} bytes`
  const result = describeResult(status, durationMs)
  return `${events} ${events === 1 ? 'event' : 'events'} to ${url} (${bytesAfter} bytes, ${form}): ${result}`
}
