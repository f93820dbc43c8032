import { parseJson } from '../wire/parse-json.ts'
import { parseRetryAfterMs } from '../wire/retry-after.ts'
import { ConnectionError, ServiceError } from './management-error.ts'
import type { Error as ServiceErrorBody } from './schema.ts'

/**
 * Returns the parsed JSON of a response, a `Blob` for a file, and undefined for an empty body. Throws `ServiceError`, or `ConnectionError` if another server
 * responded.
 *
 * @param now Milliseconds since 1970.
 */
export const readResponse = async (response: Response, now: number): Promise<unknown> => {
  const { status, ok, headers } = response
  if (ok && headers.has('content-disposition')) return response.blob()
  const text = await response.text()
  const body = parseJson(text)
  if (ok && (text === '' || body !== undefined)) return body
  const retryAfterMs = parseRetryAfterMs(headers.get('retry-after'), now)
  if (!ok && isServiceError(body)) throw new ServiceError(body, status, retryAfterMs)
  if (status === 405 && text === '') throw new ServiceError(METHOD_NOT_ALLOWED, status, retryAfterMs)
  throw new ConnectionError('not_the_service', describe(response), { status, retryAfterMs })
}

/** The error of a 405 without a body, which some paths answer. */
const METHOD_NOT_ALLOWED: ServiceErrorBody = {
  type: 'invalid_request',
  code: 'method_not_allowed',
  detail: 'This path does not have the method.',
  attr: null,
}

const isServiceError = (body: unknown): body is ServiceErrorBody => {
  if (typeof body !== 'object' || body === null) return false
  const { type, code, detail } = body as Partial<Record<string, unknown>>
  return [type, code, detail].every((field) => typeof field === 'string')
}

const describe = ({ status, headers, type }: Response): string => {
  if (type === 'opaqueredirect' || (status >= 300 && status < 400)) {
    const target = headers.get('location')
    return `The host redirects requests${target === null ? '' : ` to ${target}`}. Use the URL of the service itself.`
  }
  return `The host responded with status ${status}, but not as the service does. Check its URL.`
}
