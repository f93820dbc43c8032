import type { Clock } from '../../../port/clock.ts'
import type { Logger } from '../../../port/logger.ts'
import type { OpenStream } from '../../../port/open-stream.ts'
import { noop } from '../../../lib/noop.ts'
import { authorizationHeader, definitionsUrl } from './fetch-definitions.ts'
import type { DefinitionsOptions } from './definitions-options.ts'
import { createOutage } from './outage.ts'
import { readStream } from './read-stream.ts'
import { DEFAULT_RECONNECT_MS, reconnectDelayMs } from './stream-end.ts'
import type { StreamEnd } from './stream-end.ts'

/** The service's path for pushed definitions. */
const PATH = '/flags/stream'

export interface StreamPorts {
  readonly clock: Clock
  readonly openStream: OpenStream
  readonly logger: Logger
  /** Returns a random number in [0, 1). */
  readonly random: () => number
}

/** Callbacks to the loader that owns the stream. */
export interface StreamOwner {
  /** The stream works: polling can stop. */
  onLive(): void
  onDefinitions(json: string, etag: string | undefined): void
  /** A working stream ended: polling starts again. */
  onLost(): void
  /** The service refused the stream; the response to a request for the definitions explains why. */
  onRefused(): void
  /** Returns the tag of the current definitions: the service sends only newer ones. */
  latestEtag(): string | undefined
  /**
   * Returns whether a stream may be opened without a successful load before.
   *
   * @param isRefused The service has refused the last stream.
   */
  canReconnect(isRefused: boolean): boolean
}

/** A stream of definitions that reconnects when it ends. */
export interface DefinitionsStream {
  isLive(): boolean
  /** Call it after a successful load. Opens the stream, unless it is open or waits for its next attempt. Ends the effect of a refusal. */
  open(): void
  close(): void
}

export const createDefinitionsStream = (
  options: DefinitionsOptions,
  { clock, openStream, logger, random }: StreamPorts,
  owner: StreamOwner,
): DefinitionsStream => {
  let isClosed = false
  /** Whether a stream is open, or the next attempt is scheduled. */
  let isBusy = false
  let openedAtMs = 0
  let liveSinceMs: number | undefined
  /** Whether the service has refused the last stream, and no load has succeeded since. */
  let isRefused = false
  const outage = createOutage()
  let reconnectMs = DEFAULT_RECONNECT_MS
  let hasWarnedOfSupport = false
  let stop = noop

  const onEnd = (end: StreamEnd): void => {
    const now = clock.now()
    const wasLive = liveSinceMs !== undefined
    outage.add((liveSinceMs ?? now) - openedAtMs)
    if (liveSinceMs !== undefined) outage.streamEnded(now - liveSinceMs)
    liveSinceMs = undefined
    isRefused = end.kind === 'refused'
    const delayMs = reconnectDelayMs(end, outage.downMs(), reconnectMs, random())
    if (end.kind === 'unsupported') outage.clear()
    else outage.add(delayMs)
    const message = `flag definitions cannot be streamed: ${end.reason}`
    if (end.kind === 'unsupported' && !hasWarnedOfSupport) {
      logger.warn(`${message}; polling for changes`)
      hasWarnedOfSupport = true
    } else logger.debug('definitions', `${message}; next attempt in ${Math.round(delayMs)} ms`)
    stop = clock.after(delayMs, () => {
      isBusy = false
      if (owner.canReconnect(isRefused)) open()
    })
    if (wasLive) owner.onLost()
    if (isRefused) owner.onRefused()
  }

  const open = (): void => {
    if (isBusy || isClosed) return
    isBusy = true
    openedAtMs = clock.now()
    const etag = owner.latestEtag()
    const headers = {
      ...authorizationHeader(options),
      Accept: 'text/event-stream',
      ...(etag !== undefined && { 'Last-Event-ID': etag }),
    }
    stop = readStream(openStream, clock, definitionsUrl(options, PATH), headers, {
      onLive() {
        liveSinceMs = clock.now()
        hasWarnedOfSupport = false
        owner.onLive()
      },
      onDefinitions: owner.onDefinitions,
      onReconnectDelay: (ms) => (reconnectMs = ms),
      onEnd,
    })
  }

  return {
    isLive: () => liveSinceMs !== undefined,
    open() {
      isRefused = false
      open()
    },
    close() {
      isClosed = true
      liveSinceMs = undefined
      stop()
    },
  }
}
