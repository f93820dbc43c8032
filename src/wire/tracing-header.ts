/** Request headers, in lower case, in which a page sends its distinct id and session id to other servers. */
export const TRACING_HEADERS: readonly [distinctId: string, sessionId: string] = [
  'x-posthog-distinct-id',
  'x-posthog-session-id',
]
