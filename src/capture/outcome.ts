import type { SendAnswer } from '../port/send.ts'

/** What an answer of the service means for the batch that was sent. */
export type Outcome =
  /** On the service's disk: forget the events. */
  | 'accepted'
  /** Too large: halve the batch; a single event is dropped. */
  | 'too_large'
  /** Refused for good by the service itself: drop and report. */
  | 'rejected_by_service'
  /** A passing failure: the events stay, the next try comes after the back-off. */
  | 'retry'
  /** An answer that is none of the service's (a proxy's, a wrong host's): the events stay, at the longest back-off. */
  | 'wait'

/**
 * Judges one answer by its status and by whether the body may be the service's: nothing or JSON for a success (a captive portal answers 200
 * with a page), its own error for 401 and 403.
 */
export const outcomeOf = (answer: SendAnswer): Outcome => {
  const { status, body } = answer
  if (status >= 200 && status < 300) return !body.trim() || parse(body) !== undefined ? 'accepted' : 'wait'
  if (status === 413) return 'too_large'
  if (status === 400) return 'rejected_by_service'
  if ((status === 401 || status === 403) && isServiceError(body)) return 'rejected_by_service'
  if (status === 0 || status === 408 || status === 429 || status >= 500) return 'retry'
  return 'wait'
}

const isServiceError = (body: string): boolean => {
  const error = parse(body) as Record<string, unknown> | null | undefined
  return typeof error?.code === 'string' && typeof error.detail === 'string'
}

const parse = (body: string): unknown => {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}
