/** Why an event that the caller handed over will never be delivered. `onDrop` gets one of these words. */
export type DropReason =
  /** The name was empty or no text, or something the caller handed over could not be read at all. */
  | 'invalid_event'
  /** `before_send` answered null, or threw: a failed hook may have been the redactor, so nothing leaves. */
  | 'before_send'
  /** The user has opted out. */
  | 'opted_out'
  /** `shutdown()` was called before. */
  | 'shut_down'
  /** More events waited than the queue may hold; the oldest went. */
  | 'queue_overflow'
  /** The service answered 413 to this event alone, or it is larger than the whole queue may be. */
  | 'too_large'
  /** The page went away, or the agent was shut down, while only memory held the event, and neither the beacon nor localStorage took it. */
  | 'storage_unavailable'
  /** The service refused the request for good (400, or 401 and 403 with its own error). */
  | 'rejected_by_service'
