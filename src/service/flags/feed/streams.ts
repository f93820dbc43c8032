import type { Writable } from 'node:stream'
import { HttpError, unavailable } from '../../http-error.ts'
import { noop } from '../../noop.ts'
import { createAccessWatch } from './access-watch.ts'
import type { AuthorizedFeed } from './authorize-feed.ts'
import type { Feed } from './feed.ts'
import type { FlagSets } from '../definitions/flag-sets.ts'
import { createLatestWriter } from './latest-writer.ts'
import type { HoldState, LatestWriter } from './latest-writer.ts'

/** A request for a stream of the definitions of a project. */
export interface StreamRequest extends AuthorizedFeed {
  readonly withCohorts: boolean
  /** The `Last-Event-ID` header: the entity tag of the definitions that the reader has. */
  readonly lastEventId: string | undefined
  /** Sends the response headers. Called once the stream is accepted. */
  readonly begin: () => Writable
  /** Counts the definitions that the reader has not read yet. */
  readonly hold: HoldState
}

export interface Streams {
  /** Serves a stream until the reader disconnects. Throws `HttpError`: 429 when the project has too many, 503 after `close`. */
  open(request: StreamRequest): void
  /** Ends all streams at once. Readers reconnect with the id of the definitions they have. */
  close(): void
}

export interface StreamsOptions {
  readonly flagSets: FlagSets
  /** Most open streams per project in this process. Default 1,000; each uses a socket. */
  readonly maxPerProject?: number
  /** Interval of comments that keep proxies from closing an idle connection, in milliseconds. Default 15,000. */
  readonly heartbeatMs?: number
  /** Returns a random number from 0 to 1. */
  readonly random: () => number
  /** Called with every internal error, for the log. */
  readonly onError: (error: unknown) => void
}

/**
 * Range of the reconnection delay, in milliseconds. Each reader gets a random delay, so that they do not all reconnect at once
 * after a restart of the service. The delay is short, so that readers are up to date soon after it.
 */
const RETRY_MS = { min: 500, max: 1500 }

/** `Retry-After` when a project has too many streams. Streams rarely end before their readers are redeployed. */
const RETRY_AFTER_FULL_SECONDS = 30

/**
 * Pushes definitions to readers as server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html): the
 * current ones at once unless the reader has them, then all later ones. A stream ends when the flags of the project are
 * paused, and within a second when its key may no longer read them; a new request is then rejected with the reason.
 */
export const createStreams = ({
  flagSets,
  maxPerProject = 1000,
  heartbeatMs = 15_000,
  random,
  onError,
}: StreamsOptions): Streams => {
  const accessWatch = createAccessWatch(onError)
  const writersByProject = new Map<number, Set<LatestWriter>>()
  let heartbeat: NodeJS.Timeout | undefined
  let isClosed = false

  const sendHeartbeats = (): void => {
    for (const writers of writersByProject.values()) for (const writer of writers) writer.writeIfReady(':\n\n')
  }

  return {
    open: ({ set, withCohorts, lastEventId, begin, hold, ...access }) => {
      const { projectId } = access
      if (isClosed) throw unavailable('stopping', 'This service is stopping. Retry in a second.', 1)
      const writers = writersByProject.get(projectId) ?? new Set()
      if (writers.size >= maxPerProject) {
        throw new HttpError(
          429,
          {
            type: 'throttled_error',
            code: 'too_many_streams',
            detail: `This project has ${maxPerProject} open streams, which is the maximum. Poll /flags/definitions instead.`,
            attr: null,
          },
          { retryAfterSeconds: RETRY_AFTER_FULL_SECONDS },
        )
      }
      const out = begin()
      const writer = createLatestWriter(out, hold)
      writers.add(writer)
      writersByProject.set(projectId, writers)
      heartbeat ??= setInterval(sendHeartbeats, heartbeatMs).unref()

      let sentEtag = lastEventId
      out.write(`retry: ${Math.round(RETRY_MS.min + random() * (RETRY_MS.max - RETRY_MS.min))}\n\n`)
      const send = (feed: Feed): void => {
        if (feed.etag === sentEtag) return
        sentEtag = feed.etag
        writer.write(feed.message)
      }
      send(set.feed(withCohorts))
      const stop = flagSets.watch(projectId, (changed) => {
        if (changed.isPaused) writer.end()
        else send(changed.feed(withCohorts))
      })
      const stopWatch = accessWatch.watch(access, () => writer.end())
      // Pending writes fail when a reader disconnects, which is not an error.
      out.on('error', noop)
      out.on('close', () => {
        stop()
        stopWatch()
        writers.delete(writer)
        if (writers.size === 0) writersByProject.delete(projectId)
        if (writersByProject.size > 0) return
        clearInterval(heartbeat)
        heartbeat = undefined
      })
    },
    close: () => {
      isClosed = true
      for (const writers of writersByProject.values()) for (const writer of writers) writer.end()
    },
  }
}
