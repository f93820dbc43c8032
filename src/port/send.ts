/** An HTTP request. */
export interface SendRequest {
  readonly url: string
  /** Body of a POST request; an empty one makes it a GET request. */
  readonly body: string | Uint8Array
  /** Content type of the body. In pages always a CORS-safelisted type, so that the browser sends no preflight. */
  readonly contentType: string
  /** More headers. Node agent only: in a page, each would cause a preflight. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Milliseconds after which the request fails. */
  readonly timeoutMs: number
  /** While the request is in flight, this set contains a function that aborts the request. Node agent only. */
  readonly aborts?: Set<() => void>
  /** Maximum bytes of the decompressed response body; a longer response fails. Default 8 MiB. Node agent only. */
  readonly maxResponseBytes?: number
  /** The response must be that of now, not one that a framework has stored. Node agent only. */
  readonly noStore?: boolean
  /** Lets the request outlive the page. In browsers the body must be at most `MAX_UNLOAD_BYTES`. */
  readonly keepalive?: boolean
}

/** An HTTP response. Status 0: there was none (network error, timeout, abort). */
export interface SendResponse {
  readonly status: number
  readonly body: string
  /** The raw `Retry-After` header, or null. */
  readonly retryAfter: string | null
  /** The raw `ETag` header, or null. Node agent only. */
  readonly etag?: string | null
  /** With status 0: what came instead of a response, for a warning. Default: nothing. */
  readonly failure?: string | null | undefined
}

/** Sends one request. Never rejects. */
export type Send = (request: SendRequest) => Promise<SendResponse>

/** Passes a body to the platform, which sends it even after the page was closed. False when the platform refuses the body. */
export type Beacon = (url: string, body: string | Uint8Array, contentType: string) => boolean
