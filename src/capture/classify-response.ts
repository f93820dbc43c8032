import type { SendResponse } from '../port/send.ts'
import { parseJson } from '../wire/parse-json.ts'
import { readServiceError } from '../wire/read-service-error.ts'

/** What a response means for the batch that was sent. */
export type ResponseClass =
  /** The service has stored the events: remove them. */
  | 'accepted'
  /** The body was too large: send half of the events; drop an event that was alone in its request. */
  | 'too_large'
  /** The service itself refused the request for good: drop the events and report them. */
  | 'rejected_by_service'
  /** A temporary failure: keep the events, and retry after the back-off. */
  | 'retry'
  /** The response is not from the service (a proxy, a wrong host): keep the events, and retry after the longest back-off. */
  | 'wait'

/**
 * Classifies a response by its status and by whether its body can be from the service. A success must have an empty body or JSON, because
 * the login page of a public network also has status 200. For 401 and 403 the body must be the service's own error, for 400 it must not be
 * a page.
 *
 * `retry` and `wait` both keep the events. The service recovers from `retry` within seconds or minutes. `wait` lasts until a person
 * corrects the URL or leaves the public network, so more attempts would be useless.
 */
export const classifyResponse = (response: SendResponse): ResponseClass => {
  const { status, body } = response
  if (status >= 200 && status < 300) return !body.trim() || parseJson(body) !== undefined ? 'accepted' : 'wait'
  if (status === 413) return 'too_large'
  // A server that expects HTTPS, or a proxy, answers 400 with a page.
  if (status === 400) return body.trim()[0] === '<' ? 'wait' : 'rejected_by_service'
  if ((status === 401 || status === 403) && readServiceError(body)) return 'rejected_by_service'
  if (status === 0 || status === 408 || status === 429 || status >= 500) return 'retry'
  return 'wait'
}
