import type { OpenStream, StreamListener } from '../../../../src/port/open-stream.ts'

/** One stream that the loader has opened; the test plays the service. */
export interface OpenedStream extends StreamListener {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  isClosed: boolean
  /** Answers the head of a stream and its first line, as the service does. */
  accept(retryMs?: number): void
  refuse(status: number, retryAfter?: string): void
  /** Sends definitions. */
  tell(feed: object, id: string): void
}

export const fakeStreams = (): { readonly openStream: OpenStream; readonly opened: OpenedStream[] } => {
  const opened: OpenedStream[] = []
  return {
    opened,
    openStream(url, headers, listener) {
      const stream: OpenedStream = {
        url,
        headers,
        isClosed: false,
        head: listener.head,
        text: listener.text,
        end: listener.end,
        accept(retryMs = 2_000) {
          stream.head({ status: 200, contentType: 'text/event-stream', retryAfter: null })
          stream.text(`retry: ${retryMs}\n\n`)
        },
        refuse(status, retryAfter) {
          stream.head({ status, contentType: 'application/json', retryAfter: retryAfter ?? null })
        },
        tell: (feed, id) => stream.text(`id: ${id}\nevent: definitions\ndata: ${JSON.stringify(feed)}\n\n`),
      }
      opened.push(stream)
      return () => {
        stream.isClosed = true
      }
    },
  }
}
