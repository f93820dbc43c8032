/** Why an event will never be delivered. `onDrop` gets one of these words. */
export type DropReason =
  /** The name was empty or not a string, or an argument could not be read at all. */
  | 'invalid_event'
  /** The distinct id or another id of the event is longer than the service stores. Ids are never cut: two of them could become one. */
  | 'id_too_long'
  /** `before_send` returned null or threw. A failed hook may have been meant to remove private data. */
  | 'before_send'
  /** The user has opted out. */
  | 'opted_out'
  /** `shutdown()` was called before. */
  | 'shut_down'
  /** The queue was full; the oldest events are dropped. */
  | 'queue_overflow'
  /** The event is larger than the service stores (1 MiB of JSON) or than the whole queue may be, or the service answered 413 to it alone. */
  | 'too_large'
  /** The page was closed, or the agent shut down, while the event was only in memory. Neither a beacon nor localStorage accepted it. */
  | 'storage_unavailable'
  /** The service rejected the request for good (400, or 401 and 403 with its own error). */
  | 'rejected_by_service'
