import { createParser } from 'eventsource-parser'
import type { Clock } from '../../../port/clock.ts'
import type { OpenStream } from '../../../port/open-stream.ts'
import { noop } from '../../../lib/noop.ts'
import { classifyStreamHead, STREAM_IDLE_TIMEOUT_MS } from './stream-end.ts'
import type { StreamEnd } from './stream-end.ts'

/** Callbacks of one stream. */
export interface StreamHandlers {
  /** The first chunk has arrived: the stream works. */
  onLive(): void
  /** Definitions have arrived: their JSON and their tag. */
  onDefinitions(json: string, etag: string | undefined): void
  /** The service set the delay before a reconnect, in milliseconds. */
  onReconnectDelay(ms: number): void
  /** The stream has ended; no other callback follows. */
  onEnd(end: StreamEnd): void
}

/** Maximum characters of a message: many times the size of real definitions, but a bound on memory. */
const MAX_MESSAGE_LENGTH = 64 * 1_024 * 1_024

/**
 * Reads one stream of server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html) until it ends or times out.
 *
 * @returns A function that closes the stream; no callback follows.
 */
export const readStream = (
  openStream: OpenStream,
  clock: Clock,
  url: string,
  headers: Readonly<Record<string, string>>,
  handlers: StreamHandlers,
): (() => void) => {
  let isClosed = false
  let isEventStream = false
  let isLive = false
  let closeStream = noop
  let cancelTimer = noop

  const close = (): void => {
    isClosed = true
    cancelTimer()
    closeStream()
  }
  const end = (streamEnd: StreamEnd): void => {
    if (isClosed) return
    close()
    handlers.onEnd(streamEnd)
  }
  const restartTimer = (): void => {
    cancelTimer()
    cancelTimer = clock.after(STREAM_IDLE_TIMEOUT_MS, () => {
      const reason = `no data for ${STREAM_IDLE_TIMEOUT_MS} ms`
      if (isLive) end({ kind: 'lost', reason })
      // A response without a body most likely waits in a buffering proxy.
      else end({ kind: isEventStream ? 'unsupported' : 'unreachable', reason })
    })
  }

  const parser = createParser({
    maxBufferSize: MAX_MESSAGE_LENGTH,
    onEvent: ({ event, data, id }) => !isClosed && event === 'definitions' && handlers.onDefinitions(data, id),
    onRetry: handlers.onReconnectDelay,
    onError: ({ type }) =>
      type === 'max-buffer-size-exceeded' &&
      end({ kind: 'lost', reason: `a message is longer than ${MAX_MESSAGE_LENGTH} characters` }),
  })

  restartTimer()
  const closeConnection = openStream(url, headers, {
    onHead(head) {
      if (isClosed) return
      restartTimer()
      const streamEnd = classifyStreamHead(head, clock.now())
      if (streamEnd) end(streamEnd)
      else isEventStream = true
    },
    onChunk(chunk) {
      if (isClosed) return
      restartTimer()
      if (!isLive) handlers.onLive()
      isLive = true
      parser.feed(chunk)
    },
    onEnd: () =>
      end(isLive ? { kind: 'lost', reason: 'the stream ended' } : { kind: 'unreachable', reason: 'no response' }),
  })
  closeStream = closeConnection
  // The stream may have ended inside openStream().
  if (isClosed) closeConnection()
  return close
}
