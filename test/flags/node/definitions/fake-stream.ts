import type { OpenStream, StreamListener } from '../../../../src/port/open-stream.ts'

/** A stream that the loader has opened. The test calls the listener's methods, in place of the service. */
export interface OpenedStream extends StreamListener {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  isClosed: boolean
  /** Sends the response head and the first line of a stream, as the service does. */
  accept(retryMs?: number): void
  refuse(status: number, retryAfter?: string): void
  sendDefinitions(definitions: object, id: string): void
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
        onHead: listener.onHead,
        onChunk: listener.onChunk,
        onEnd: listener.onEnd,
        accept(retryMs = 2_000) {
          stream.onHead({ status: 200, contentType: 'text/event-stream', retryAfter: null })
          stream.onChunk(`retry: ${retryMs}\n\n`)
        },
        refuse(status, retryAfter) {
          stream.onHead({ status, contentType: 'application/json', retryAfter: retryAfter ?? null })
        },
        sendDefinitions: (definitions, id) =>
          stream.onChunk(`id: ${id}\nevent: definitions\ndata: ${JSON.stringify(definitions)}\n\n`),
      }
      opened.push(stream)
      return () => {
        stream.isClosed = true
      }
    },
  }
}
