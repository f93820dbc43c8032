import type { OpenStream } from '../../port/open-stream.ts'

/** What the adapter works with. */
export interface FetchStreamOptions {
  /** In place of the platform's `fetch`, which is looked up at each call. */
  readonly fetch?: typeof fetch | undefined
  /** Go along with every request, such as `User-Agent`; a request's own win. */
  readonly headers?: Readonly<Record<string, string>>
}

/**
 * Reads a stream by `fetch`, wherever there is one whose answers can be read while they come; where not, it ends. An open one keeps a Node process
 * alive: there is another adapter for that.
 */
export const createFetchStream =
  ({ fetch: given, headers: always }: FetchStreamOptions): OpenStream =>
  (url, headers, listener) => {
    const abort = new AbortController()
    let reader: ReadableStreamDefaultReader<Uint8Array> | undefined
    let isOver = false

    const run = async (): Promise<void> => {
      const answer = await (given ?? fetch)(url, {
        headers: { ...always, ...headers },
        redirect: 'manual',
        signal: abort.signal,
      })
      reader = answer.body?.getReader()
      // Whoever is behind a redirect that was followed all the same is somebody else.
      if (isOver || answer.redirected) return cancel()
      listener.head({
        status: answer.status,
        contentType: answer.headers.get('content-type') ?? '',
        retryAfter: answer.headers.get('retry-after'),
      })
      const decoder = new TextDecoder()
      for (;;) {
        const part = await reader?.read()
        if (isOver || !part || part.done) return
        listener.text(decoder.decode(part.value, { stream: true }))
      }
    }
    /** A replaced `fetch` may not know the signal. */
    const cancel = (): void => {
      abort.abort()
      void reader?.cancel().catch(() => {})
    }

    void run()
      .catch(() => {})
      .then(() => {
        if (!isOver) listener.end()
        isOver = true
      })
    return () => {
      isOver = true
      cancel()
    }
  }
