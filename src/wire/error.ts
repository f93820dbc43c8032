/** Body of every 4xx and 5xx answer of the service. Its presence tells the service's own refusal from a proxy's. */
export interface ApiError {
  /** The family: `validation_error`, `authentication_error`, `invalid_request`, `server_error`, `throttled_error`, `quota_limited`. */
  readonly type: string
  /** A stable word for the exact cause, for programs. */
  readonly code: string
  /** One sentence for people: what is wrong and what would be right. */
  readonly detail: string
  /** The body field or header at fault, or null. */
  readonly attr: string | null
}
