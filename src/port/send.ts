/** One request, complete. */
export interface SendRequest {
  readonly url: string
  /** Posted; an empty one makes it a GET request. */
  readonly body: string | Uint8Array
  /** Of the body. In pages always one of the CORS-safelisted types, so that no preflight is made. */
  readonly contentType: string
  /** More headers, from agents for servers alone: each would cost a page a preflight. */
  readonly headers?: Readonly<Record<string, string>>
  /** Milliseconds after which the request is given up as failed. */
  readonly timeoutMs: number
  /** Holds, while the request is under way, what gives it up as failed at once; agents for servers alone fill it. */
  readonly ends?: Set<() => void>
  /**
   * The most bytes of an answer's body, unpacked: a longer one is given up as failed. Agents for servers alone have a bound; default 8 MiB.
   */
  readonly maxBytes?: number
  /** Lets the request outlive the page (browsers: body within `UNLOAD_MAX_BYTES`). */
  readonly keepalive?: boolean
}

/** What came back. Status 0: no answer at all (network error, timeout, abort). */
export interface SendAnswer {
  readonly status: number
  readonly body: string
  /** The `Retry-After` header as it stood, or null. */
  readonly retryAfter: string | null
  /** The `ETag` header as it stood, or null; agents for servers alone read it. */
  readonly etag?: string | null
}

/** Sends one request. Never rejects. */
export type Send = (request: SendRequest) => Promise<SendAnswer>

/** Hands a body to the platform for sending after the page is gone; false when the platform refused it. */
export type Beacon = (url: string, body: string | Uint8Array, contentType: string) => boolean
