/** Bytes of one row. A larger one is rejected: an event of that size would hardly fit into a request. */
export const MOST_ROW_BYTES: number = 16 * 1024 * 1024

/**
 * Characters of JSON in one batch: in UTF-8 at most 12 MB, and so below the service's limit (20 MB, before and after compression). In
 * practice it goes out as half a megabyte of gzip, which is less than proxies commonly let pass (1 MB), and as little is sent once more after a kill.
 */
export const BATCH_LENGTH: number = 4 * 1024 * 1024

/** Events in one batch: progress is written down, and shown, several times a second. */
export const BATCH_EVENTS = 5000
