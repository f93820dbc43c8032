/** By these a page tells servers who asks them, in lower case: distinct id and session id. */
export const TRACING_HEADERS: readonly [distinctId: string, sessionId: string] = [
  'x-posthog-distinct-id',
  'x-posthog-session-id',
]
