/** Maximum bytes of one row. A larger row is rejected, because an event of that size hardly fits into a request. */
export const MAX_ROW_BYTES: number = 16 * 1024 * 1024

/**
 * Maximum characters of JSON in one batch. They are at most 12 MB of UTF-8, below the service's limit of 20 MB before and after compression. Such a
 * batch is usually about 0.5 MB of gzip, below the 1 MB that proxies commonly accept. After a kill, one batch is sent again.
 */
export const MAX_BATCH_LENGTH: number = 4 * 1024 * 1024

/** Maximum events in one batch. At this size, progress is saved and shown several times a second. */
export const MAX_BATCH_EVENTS = 5000
