import type { Writable } from 'node:stream'
import { Refusal, unavailable } from '../../refusal.ts'
import type { FeedGrant } from './feed-access.ts'
import type { Feed } from './feed.ts'
import type { FlagSets } from '../definitions/flag-sets.ts'
import { newestWriter } from './latest-writer.ts'
import type { NewestWriter } from './latest-writer.ts'

/** A subscription to the definitions of a project, as the request asks for it. */
export interface StreamRequest extends FeedGrant {
  readonly withCohorts: boolean
  /** The `Last-Event-ID` header: the entity tag of the definitions that the reader holds. */
  readonly lastEventId: string | undefined
  /** Answers the head of the response; called once nothing speaks against the stream any more. */
  readonly begin: () => Writable
}

export interface Streams {
  /** Serves a subscription until the reader goes. Throws `Refusal`: 429 when the project has too many, 503 after `close`. */
  start(request: StreamRequest): void
  /** Ends all of them, now. Readers come back with the id of what they hold. */
  close(): void
}

export interface StreamsParts {
  readonly flagSets: FlagSets
  /** Streams that one project may have open in this process. Default 1,000: each holds a socket. */
  readonly mostPerProject?: number
  /** Time between two comments that keep proxies from taking the connection for dead, in milliseconds. Default 15,000. */
  readonly heartbeatMs?: number
  /** A number from 0 to 1, another one at each call. */
  readonly random: () => number
}

/**
 * When a reader should come back after its connection broke, in milliseconds: each is told another moment of this span, so
 * that a service that is started again does not meet all of them at once.
 */
const RETRY_MS = { least: 1000, most: 5000 }

/** When one that found no place should: streams end when their readers are deployed or moved, not sooner. */
const FULL_RETRY_SECONDS = 30

const messageOf = ({ etag, body }: Feed): string => `id: ${etag}\nevent: definitions\ndata: ${body}\n\n`

/**
 * Pushes definitions to whoever holds a stream open, as server-sent events
 * (https://html.spec.whatwg.org/multipage/server-sent-events.html): the state at once unless the reader has it, then
 * every new one. A stream ends when the project's flags are paused; asking again tells why.
 */
export const createStreams = ({
  flagSets,
  mostPerProject = 1000,
  heartbeatMs = 15_000,
  random,
}: StreamsParts): Streams => {
  const open = new Map<number, Set<NewestWriter>>()
  let heartbeat: NodeJS.Timeout | undefined
  let isClosed = false

  const mentionAll = (): void => {
    for (const writers of open.values()) for (const writer of writers) writer.mention(':\n\n')
  }

  return {
    start: ({ projectId, set, withCohorts, lastEventId, begin }) => {
      if (isClosed) throw unavailable('stopping', 'This service is stopping. Ask again.', 1)
      const writers = open.get(projectId) ?? new Set()
      if (writers.size >= mostPerProject) {
        throw new Refusal(
          429,
          {
            type: 'throttled_error',
            code: 'too_many_streams',
            detail: `This project has ${mostPerProject} streams open, the most there may be. Poll /flags/definitions instead.`,
            attr: null,
          },
          { retryAfterSeconds: FULL_RETRY_SECONDS },
        )
      }
      const out = begin()
      const writer = newestWriter(out)
      writers.add(writer)
      open.set(projectId, writers)
      heartbeat ??= setInterval(mentionAll, heartbeatMs).unref()

      let sent = lastEventId
      out.write(`retry: ${Math.round(RETRY_MS.least + random() * (RETRY_MS.most - RETRY_MS.least))}\n\n`)
      const tell = (feed: Feed): void => {
        if (feed.etag === sent) return
        sent = feed.etag
        writer.write(messageOf(feed))
      }
      tell(set.feed(withCohorts))
      const stop = flagSets.watch(projectId, (changed) => {
        if (changed.isPaused) writer.end()
        else tell(changed.feed(withCohorts))
      })
      // A reader that goes makes the writes under way fail, which is nobody's error.
      out.on('error', () => {})
      out.on('close', () => {
        stop()
        writers.delete(writer)
        if (writers.size === 0) open.delete(projectId)
        if (open.size > 0) return
        clearInterval(heartbeat)
        heartbeat = undefined
      })
    },
    close: () => {
      isClosed = true
      for (const writers of open.values()) for (const writer of writers) writer.end()
    },
  }
}
