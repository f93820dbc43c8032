/** Hears an answer that goes on for as long as its connection lasts. */
export interface StreamListener {
  /** The answer has begun. */
  head(head: StreamHead): void
  /** What came since, in order. */
  text(text: string): void
  /** Nothing will come any more: it has ended, broke off, or never came about. */
  end(): void
}

export interface StreamHead {
  readonly status: number
  /** The `Content-Type` header, or an empty text. */
  readonly contentType: string
  /** The `Retry-After` header as it stood, or null. */
  readonly retryAfter: string | null
}

/**
 * Asks by GET for an answer that may never end, without following redirects. Never throws, and never keeps the process alive where the platform
 * can tell.
 *
 * @returns Ends it at once. From then on the listener hears nothing.
 */
export type OpenStream = (
  url: string,
  headers: Readonly<Record<string, string>>,
  listener: StreamListener,
) => () => void
