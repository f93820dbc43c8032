import { noop } from '../../lib/noop.ts'
import type { OpenStream } from '../../port/open-stream.ts'
import { storesResponses } from '../web/stores-responses.ts'

export interface FetchOpenStreamOptions {
  /** Replaces the platform's `fetch`, which is looked up at each call. */
  readonly fetch?: typeof fetch | undefined
  /** Headers of every request, such as `User-Agent`. The headers of a single request take precedence. */
  readonly headers?: Readonly<Record<string, string>>
}

/**
 * Reads a stream by `fetch`. The stream ends at once where a response body cannot be read in parts.
 *
 * An open stream keeps a Node process alive; `createNodeOpenStream` does not.
 */
export const createFetchOpenStream =
  ({ fetch: customFetch, headers: defaultHeaders }: FetchOpenStreamOptions): OpenStream =>
  (url, headers, listener) => {
    const abort = new AbortController()
    let reader: ReadableStreamDefaultReader<Uint8Array> | undefined
    let isOver = false

    const run = async (): Promise<void> => {
      const usedFetch = customFetch ?? fetch
      const response = await usedFetch(url, {
        headers: { ...defaultHeaders, ...headers },
        redirect: 'manual',
        ...(storesResponses(usedFetch) && { cache: 'no-store' }),
        signal: abort.signal,
      })
      reader = response.body?.getReader()
      // A custom `fetch` may follow a redirect, which leads to another server.
      if (isOver || response.redirected) return cancel()
      listener.onHead({
        status: response.status,
        contentType: response.headers.get('content-type') ?? '',
        retryAfter: response.headers.get('retry-after'),
      })
      const decoder = new TextDecoder()
      for (;;) {
        const chunk = await reader?.read()
        if (isOver || !chunk || chunk.done) return
        listener.onChunk(decoder.decode(chunk.value, { stream: true }))
      }
    }
    /** Cancels the reader too, because a custom `fetch` may ignore the signal. */
    const cancel = (): void => {
      abort.abort()
      void reader?.cancel().catch(noop)
    }

    void run()
      .catch(noop)
      .then(() => {
        if (!isOver) listener.onEnd()
        isOver = true
      })
    return () => {
      isOver = true
      cancel()
    }
  }
