import { badRequest, conflict, HttpError, unavailable } from '../http-error.ts'
import type { QueryError } from '../indexer/query-error.ts'

/** Seconds after which a slot has probably become free. */
const BUSY_RETRY_SECONDS = 5

/** The response to a request whose query failed. */
export const toQueryHttpError = (error: QueryError): HttpError => {
  const { code, message: detail } = error
  switch (code) {
    case 'store_unavailable':
      return unavailable(code, detail, 1, error)
    case 'service_busy':
      return unavailable('queries_busy', detail, BUSY_RETRY_SECONDS, error)
    case 'project_busy':
      return new HttpError(
        429,
        { type: 'throttled_error', code: 'too_many_queries', detail, attr: null },
        { cause: error, retryAfterSeconds: BUSY_RETRY_SECONDS },
      )
    case 'timeout':
      // 504 because the service took too long, not the client. 408 would make clients send the same request again.
      return new HttpError(504, { type: 'server_error', code, detail, attr: 'query' }, { cause: error })
    case 'id_in_use':
      return conflict('query_id_in_use', detail, 'client_query_id')
    case 'result_removed':
      return conflict(code, detail)
    default:
      return badRequest(`query_${code}`, detail, 'query', error)
  }
}
