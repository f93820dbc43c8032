/** Receives a streamed response while its connection lasts. */
export interface StreamListener {
  /** Called first, when the response begins. */
  onHead(head: StreamHead): void
  /** Called for each chunk of the body, in order. */
  onChunk(chunk: string): void
  /** Called last: the response ended, was cut off, or never began. */
  onEnd(): void
}

export interface StreamHead {
  readonly status: number
  /** The `Content-Type` header, or an empty string. */
  readonly contentType: string
  /** The raw `Retry-After` header, or null. */
  readonly retryAfter: string | null
}

/**
 * Sends a GET request whose response may never end. It follows no redirects. Never throws, and never keeps the process alive where the
 * platform allows that.
 *
 * @returns A function that closes the stream. After that call the listener is not called any more.
 */
export type OpenStream = (
  url: string,
  headers: Readonly<Record<string, string>>,
  listener: StreamListener,
) => () => void
