/** Body of every 4xx and 5xx response of the service. It distinguishes an error of the service from one of a proxy. */
export interface ApiError {
  /** The category: `validation_error`, `authentication_error`, `invalid_request`, `server_error`, `throttled_error`, `quota_limited`. */
  readonly type: string
  /** A stable identifier of the exact cause, for programs to read. */
  readonly code: string
  /** One sentence for people: what is wrong, and what is expected. */
  readonly detail: string
  /** The invalid body field or header, or null. */
  readonly attr: string | null
}
