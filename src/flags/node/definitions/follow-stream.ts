import type { Clock } from '../../../port/clock.ts'
import type { Logger } from '../../../port/logger.ts'
import type { OpenStream } from '../../../port/open-stream.ts'
import { authorization, feedUrl } from './ask-feed.ts'
import type { DefinitionsOptions } from './options.ts'
import { readStream } from './read-stream.ts'
import { REOPEN_DEFAULT_MS, reopenMs, SILENCE_MS } from './stream-pace.ts'
import type { StreamEnd } from './stream-pace.ts'

/** The service's path for definitions that are pushed. */
const PATH = '/flags/stream'

export interface StreamPorts {
  readonly clock: Clock
  readonly openStream: OpenStream
  readonly logger: Logger
  /** A number in [0, 1), another one at each call. */
  readonly random: () => number
}

/** What the loader hears of the stream. */
export interface StreamFollower {
  /** From now on changes come by themselves. */
  live(): void
  definitions(text: string, etag: string | undefined): void
  /** Changes have to be asked for again. */
  lost(): void
  /** Asking for the definitions tells why. */
  refused(): void
  /** The tag of those that are held: the service sends others alone. */
  etag(): string | undefined
  /** False as long as the definitions cannot be had by asking: no stream is opened then. */
  isWelcome(): boolean
}

/** The stream of definitions, opened again whenever it ends. */
export interface DefinitionsStream {
  isLive(): boolean
  /** The definitions could be had: opens it unless it is open, or its time has not come. */
  open(): void
  close(): void
}

export const followStream = (
  options: DefinitionsOptions,
  { clock, openStream, logger, random }: StreamPorts,
  follower: StreamFollower,
): DefinitionsStream => {
  let isClosed = false
  /** Open, or waiting for its time. */
  let isBusy = false
  let liveSince: number | undefined
  let failures = 0
  let named = REOPEN_DEFAULT_MS
  let isAbsenceTold = false
  let stop = (): void => {}

  const ended = (end: StreamEnd): void => {
    const wasLive = liveSince !== undefined
    const hasLasted = wasLive && clock.now() - liveSince! >= SILENCE_MS
    failures = hasLasted ? 0 : failures + 1
    liveSince = undefined
    const waitMs = reopenMs(end, failures, named, random())
    const told = `no stream of flag definitions: ${end.why}`
    if (end.kind === 'absent' && !isAbsenceTold) {
      logger.warn(`${told}; changes are polled for`)
      isAbsenceTold = true
    } else logger.debug(`${told}; next try in ${Math.round(waitMs)} ms`)
    stop = clock.after(waitMs, () => {
      isBusy = false
      if (follower.isWelcome()) open()
    })
    if (wasLive) follower.lost()
    if (end.kind === 'refused') follower.refused()
  }

  const open = (): void => {
    if (isBusy || isClosed) return
    isBusy = true
    const etag = follower.etag()
    const headers = {
      ...authorization(options),
      Accept: 'text/event-stream',
      ...(etag !== undefined && { 'Last-Event-ID': etag }),
    }
    stop = readStream(openStream, clock, feedUrl(options, PATH), headers, {
      live() {
        liveSince = clock.now()
        isAbsenceTold = false
        follower.live()
      },
      definitions: follower.definitions,
      named: (ms) => (named = ms),
      end: ended,
    })
  }

  return {
    isLive: () => liveSince !== undefined,
    open,
    close() {
      isClosed = true
      liveSince = undefined
      stop()
    },
  }
}
