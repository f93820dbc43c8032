/** Largest request body the service takes, before and after decompression (service-api: "less than 20 MB by default"). */
export const MAX_BODY_BYTES: number = 20 * 1024 * 1024

/** Most events one request of the agent carries (the field's `maxBatchSize`). */
export const BATCH_MAX_EVENTS = 100

/** Most characters of JSON one request of the agent carries before compression: in UTF-8 at most 1.5 MB. */
export const BATCH_MAX_LENGTH: number = 512 * 1024

/**
 * What a page may hand to the browser at unload: 64 KiB is shared by all beacons and keepalive fetches in flight
 * (https://fetch.spec.whatwg.org/#http-network-or-cache-fetch, step on keepalive), less some room for headers.
 */
export const UNLOAD_MAX_BYTES: number = 60 * 1024
