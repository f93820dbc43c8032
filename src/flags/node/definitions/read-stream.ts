import { createParser } from 'eventsource-parser'
import type { Clock } from '../../../port/clock.ts'
import type { OpenStream } from '../../../port/open-stream.ts'
import { judgeHead, SILENCE_MS } from './stream-pace.ts'
import type { StreamEnd } from './stream-pace.ts'

/** What is heard of one stream. */
export interface StreamReader {
  /** The first of it has come through: it works. */
  live(): void
  /** Definitions, as the text of the feed, and the tag they go by. */
  definitions(text: string, etag: string | undefined): void
  /** How long the service wants a reader to be away before it comes back, in milliseconds. */
  named(ms: number): void
  /** The last that is heard. */
  end(end: StreamEnd): void
}

/** Most characters of one message: many times what a service keeps, so that nobody can fill the memory. */
const MESSAGE_MAX_LENGTH = 64 * 1_024 * 1_024

/**
 * Reads one stream of server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html) until it ends or falls silent.
 *
 * @returns Ends it; nothing is heard from then on.
 */
export const readStream = (
  openStream: OpenStream,
  clock: Clock,
  url: string,
  headers: Readonly<Record<string, string>>,
  reader: StreamReader,
): (() => void) => {
  let isOver = false
  let isStream = false
  let isLive = false
  let stopListening = (): void => {}
  let stopWatching = (): void => {}

  const stop = (): void => {
    isOver = true
    stopWatching()
    stopListening()
  }
  const end = (how: StreamEnd): void => {
    if (isOver) return
    stop()
    reader.end(how)
  }
  const watch = (): void => {
    stopWatching()
    stopWatching = clock.after(SILENCE_MS, () => {
      const why = `nothing has come for ${SILENCE_MS} ms`
      if (isLive) end({ kind: 'lost', why })
      // An answer that is kept back: by a proxy that waits for its end, most likely.
      else end(isStream ? { kind: 'absent', why } : { kind: 'unreachable', why })
    })
  }

  const parser = createParser({
    maxBufferSize: MESSAGE_MAX_LENGTH,
    onEvent: ({ event, data, id }) => !isOver && event === 'definitions' && reader.definitions(data, id),
    onRetry: reader.named,
    onError: ({ type }) =>
      type === 'max-buffer-size-exceeded' && end({ kind: 'lost', why: 'a message is longer than can be' }),
  })

  watch()
  const close = openStream(url, headers, {
    head(head) {
      if (isOver) return
      watch()
      const bad = judgeHead(head, clock.now())
      if (bad) end(bad)
      else isStream = true
    },
    text(text) {
      if (isOver) return
      watch()
      if (!isLive) reader.live()
      isLive = true
      parser.feed(text)
    },
    end: () => end(isLive ? { kind: 'lost', why: 'it has ended' } : { kind: 'unreachable', why: 'no answer' }),
  })
  stopListening = close
  // It may have ended while it was opened.
  if (isOver) close()
  return stop
}
