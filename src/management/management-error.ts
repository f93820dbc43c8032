import type { Error as ServiceErrorBody, QueryStatus } from './schema.ts'

interface ErrorFields {
  readonly type: string
  readonly code: string
  readonly detail: string
  readonly attr: string | null
  readonly status: number | null
  readonly retryAfterMs: number
}

/** The error that every call of the client rejects with, unless its signal was aborted. `message` is the same as `detail`. */
export abstract class ManagementError extends Error {
  /** The category. */
  readonly type: string
  /** A stable identifier of the exact cause, for programs. */
  readonly code: string
  /** One sentence for people: what is wrong, and what is expected. */
  readonly detail: string
  /** The invalid field, parameter or header; null if there is none. */
  readonly attr: string | null
  /** Status of the HTTP response; null if there was none. */
  readonly status: number | null
  /** Milliseconds after which the service accepts the request again, from its `Retry-After`; 0 if it named none. */
  readonly retryAfterMs: number

  constructor({ type, code, detail, attr, status, retryAfterMs }: ErrorFields, cause?: unknown) {
    super(detail, cause === undefined ? undefined : { cause })
    this.type = type
    this.code = code
    this.detail = detail
    this.attr = attr
    this.status = status
    this.retryAfterMs = retryAfterMs
  }
}

/** The service refused the request, or failed. The README of the service lists the statuses. */
export class ServiceError extends ManagementError {
  override readonly name = 'ServiceError'
  declare readonly type: ServiceErrorBody['type']
  declare readonly status: number

  constructor(body: ServiceErrorBody, status: number, retryAfterMs: number) {
    super({ ...body, status, retryAfterMs })
  }
}

/** A query that ran as a job has ended without a result. `code` is `query_cancelled` if somebody cancelled it. */
export class QueryFailedError extends ManagementError {
  override readonly name = 'QueryFailedError'
  declare readonly type: 'query_error'
  /** Identifies the query. */
  readonly queryId: string

  constructor({ id, error_code: code, error_message: detail }: QueryStatus) {
    const fields = { attr: null, status: null, retryAfterMs: 0 }
    super({ ...fields, type: 'query_error', code: code ?? 'query_failed', detail: detail ?? 'The query failed.' })
    this.queryId = id
  }
}

/**
 * Why there is no response of the service. This set is closed:
 * - `unreachable`: the request or its response did not get through the network.
 * - `timeout`: there was no complete response within `timeoutMs`.
 * - `not_the_service`: the host responds, but it is not the service: a proxy, a login page, another site.
 */
export type ConnectionErrorCode = 'unreachable' | 'timeout' | 'not_the_service'

/** There is no response of the service. A request that changes something may have been carried out nevertheless. */
export class ConnectionError extends ManagementError {
  override readonly name = 'ConnectionError'
  declare readonly type: 'connection_error'
  declare readonly code: ConnectionErrorCode

  constructor(
    code: ConnectionErrorCode,
    detail: string,
    { status = null, retryAfterMs = 0, cause }: { status?: number | null; retryAfterMs?: number; cause?: unknown } = {},
  ) {
    super({ type: 'connection_error', code, detail, attr: null, status, retryAfterMs }, cause)
  }
}
