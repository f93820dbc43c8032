import type { RequestAbout } from '../../port/debug-entry.ts'

/** Describes a request: what was sent where in which form, and what came back. */
export const describeRequest = (
  url: string,
  status: number | undefined,
  durationMs: number,
  about: RequestAbout | undefined,
): string => {
  const result =
    status === undefined
      ? 'given to the browser as a beacon, without a response'
      : `${status || 'no response'} after ${durationMs} ms`
  if (!about) return `request to ${url}: ${result}`
  const { events, encoding, bytesBefore, bytesAfter } = about
  const form = encoding === 'plain' ? 'plain JSON' : `${encoding} of ${bytesBefore} characters`
  return `${events} ${events === 1 ? 'event' : 'events'} to ${url} (${bytesAfter} bytes, ${form}): ${result}`
}
