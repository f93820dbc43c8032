/** Maximum request body of the service, before and after decompression (service-api: "less than 20 MB by default"). */
export const MAX_BODY_BYTES: number = 20 * 1024 * 1024

/** Maximum events in one request of the agent (`maxBatchSize` in other agents). */
export const MAX_BATCH_EVENTS = 100

/** Maximum characters of JSON in one request of the agent, before compression: at most 1.5 MB in UTF-8. */
export const MAX_BATCH_LENGTH: number = 512 * 1024

/**
 * Maximum bytes that a page passes to the browser at unload. All beacons and keepalive fetches in flight share 64 KiB
 * (https://fetch.spec.whatwg.org/#http-network-or-cache-fetch, step on keepalive); the rest is room for headers.
 */
export const MAX_UNLOAD_BYTES: number = 60 * 1024
