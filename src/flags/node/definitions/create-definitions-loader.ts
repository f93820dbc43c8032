import type { Clock } from '../../../port/clock.ts'
import type { Logger } from '../../../port/logger.ts'
import type { OpenStream } from '../../../port/open-stream.ts'
import type { Send } from '../../../port/send.ts'
import { noop } from '../../../port/noop.ts'
import { parseRetryAfterMs } from '../../../wire/retry-after.ts'
import { createSingleFlight } from '../../single-flight.ts'
import type { DefinitionsLoader } from '../definitions-loader.ts'
import { createFetchDefinitions } from './fetch-definitions.ts'
import { createDefinitionsCache } from './definitions-cache.ts'
import type { DefinitionsCache } from './definitions-cache.ts'
import { createDefinitionsStream } from './definitions-stream.ts'
import { createCurrentDefinitions } from './current-definitions.ts'
import { classifyDefinitionsResponse, parseDefinitions } from './classify-definitions-response.ts'
import type { LoadFailure, LoadResult } from './classify-definitions-response.ts'
import { createLatch } from './latch.ts'
import type { DefinitionsOptions } from './definitions-options.ts'
import { resolvePollIntervalMs, nextPollDelayMs } from './poll-interval.ts'

export interface LoaderPorts {
  readonly clock: Clock
  readonly send: Send
  readonly logger: Logger
  /** Without it the loader always polls. */
  readonly openStream?: OpenStream | undefined
  /** Returns a random number in [0, 1), to spread the reconnects of many processes. Default: `Math.random`. */
  readonly random?: (() => number) | undefined
}

/** Maximum repeats of a request because other definitions arrived while it was in flight. */
const MAX_STALE_RETRIES = 3

/**
 * Loads definitions at start and then at intervals, from the service or from a cache, one load at a time. Failures leave the current
 * definitions in use, except for an exceeded quota. In a run of failures only the first one, and each new reason, causes a warning.
 */
export const createDefinitionsLoader = (
  options: DefinitionsOptions,
  { clock, send, logger, openStream, random = Math.random }: LoaderPorts,
): DefinitionsLoader => {
  const { featureFlagsPollingInterval, flagDefinitionCacheProvider: provider } = options
  const canFetch = !!options.personalApiKey?.trim()
  const intervalMs = resolvePollIntervalMs(featureFlagsPollingInterval)
  /** Abort functions of requests in flight, which would keep the process alive. */
  const aborts = new Set<() => void>()
  const fetchDefinitions = createFetchDefinitions((request) => send({ ...request, aborts }), options)
  const cache = provider && createDefinitionsCache(provider, clock, options.requestTimeout, logger.warn)
  const firstLoadLatch = createLatch(clock)
  const readyLatch = createLatch(clock)
  const definitions = createCurrentDefinitions(clock, () => {
    firstLoadLatch.open()
    readyLatch.open()
  })

  let isClosed = false
  let isLoading = false
  /** Whether the interval has passed since the last load. */
  let isDue = false
  let refusalCount = 0
  let nextDelayMs = intervalMs
  /** Reason of the last reported failure, until a load succeeds. */
  let reportedReason: string | undefined
  let hasLastLoadSucceeded = false
  /** Whether the service refused the last load: the keys, the rate or the quota. */
  let isRefused = false
  let cancelTimer = noop

  const scheduleNext = (): void => {
    cancelTimer()
    if (isClosed || stream?.isLive()) return
    cancelTimer = clock.after(nextDelayMs, () => {
      isDue = true
      if (featureFlagsPollingInterval !== null) loadUnlessLoading()
    })
  }

  const report = ({ reason, detail }: LoadFailure): void => {
    const message = `flag definitions not loaded: ${detail ? `${reason}: ${detail}` : reason}`
    if (reportedReason === reason) logger.debug('definitions', message)
    else logger.warn(message)
    reportedReason = reason
  }

  const noteResult = (result: LoadResult, retryAfterMs = 0): void => {
    const { kind } = result
    refusalCount = kind === 'refused' ? refusalCount + 1 : 0
    nextDelayMs = nextPollDelayMs(intervalMs, refusalCount, retryAfterMs)
    hasLastLoadSucceeded = !('reason' in result)
    isRefused = kind === 'refused' || kind === 'quota_exceeded'
    if ('reason' in result) report(result)
    else reportedReason = undefined
  }

  const applyResult = async (result: LoadResult, retryAfterMs?: number): Promise<void> => {
    noteResult(result, retryAfterMs)
    const { kind } = result
    logger.debug('definitions', `flag definitions: ${kind}`)
    if (kind === 'loaded') await definitions.use(result.received)
    else if (kind === 'not_modified') definitions.setEtag(result.etag)
    else if (kind === 'quota_exceeded') {
      definitions.clear()
      readyLatch.close()
    }
  }

  /** @param cacheToFill Stores the loaded definitions. */
  const loadFromService = async (cacheToFill: DefinitionsCache | undefined): Promise<void> => {
    for (let retries = 0; ; retries++) {
      const revision = definitions.revision()
      const latest = definitions.latest()
      const response = await fetchDefinitions(latest?.etag)
      if (isClosed) return
      // Other definitions arrived while the request was in flight, and may be newer than the response.
      if (definitions.revision() !== revision && retries < MAX_STALE_RETRIES) continue
      const result = classifyDefinitionsResponse(response, latest)
      await applyResult(result, parseRetryAfterMs(response.retryAfter, clock.now()))
      if (result.kind === 'loaded') await cacheToFill?.store(result.received.definitions)
      return
    }
  }

  const loadFromCache = async ({ read }: DefinitionsCache): Promise<void> => {
    const result = await read()
    if (isClosed) return
    if (result?.kind === 'loaded' || definitions.latest() || !canFetch)
      return applyResult(result ?? { kind: 'failed', reason: 'the cache is empty' })
    if (result && 'reason' in result) report(result)
    // An extra request is better than no flags. Only the process that should fetch fills the cache, so this one does not.
    return loadFromService(undefined)
  }

  const loadOnce = async (): Promise<void> => {
    if (isClosed) return
    isLoading = true
    isDue = false
    cancelTimer()
    try {
      const cacheToRead = cache && !(canFetch && (await cache.shouldFetch())) ? cache : undefined
      if (isClosed) return
      await (cacheToRead ? loadFromCache(cacheToRead) : loadFromService(cache))
    } finally {
      isLoading = false
      scheduleNext()
      firstLoadLatch.open()
    }
    if (hasLastLoadSucceeded) stream?.open()
  }

  const load = createSingleFlight(
    (begin) => begin(),
    loadOnce,
    (error) => logger.warn('flag definitions not loaded', error),
  )
  const loadUnlessLoading = (): void => {
    if (!isLoading) void load()
  }

  const shouldStream = options.flagUpdates === 'stream'
  const stream =
    shouldStream && openStream && !cache
      ? createDefinitionsStream(
          options,
          { clock, openStream, logger, random },
          {
            onLive() {
              cancelTimer()
              // The service accepts the keys, and sends the definitions unless the current ones are up to date.
              noteResult({ kind: 'not_modified', etag: undefined })
            },
            onDefinitions: (json, etag) => void applyResult(parseDefinitions(json, etag)),
            onLost: scheduleNext,
            // Only if the last load succeeded: after a failure, the back-off of polling decides when to send the next request.
            onRefused: () => hasLastLoadSucceeded && loadUnlessLoading(),
            latestEtag: () => definitions.latest()?.etag,
            // Without polling only a new stream can find out that the service accepts requests again.
            canReconnect: () => !isRefused || featureFlagsPollingInterval === null,
          },
        )
      : undefined
  if (shouldStream && !stream)
    logger.warn(
      `flag definitions cannot be streamed ${cache ? 'with a flagDefinitionCacheProvider' : 'on this platform'}; polling for changes`,
    )

  /** Without polling, a read of the definitions starts a failed load again, and does not wait for it. */
  const retryIfDue = (): void => {
    if (isDue && !definitions.latest()) loadUnlessLoading()
  }

  return {
    start: loadUnlessLoading,
    current() {
      retryIfDue()
      return definitions.current()
    },
    waitForFirstLoad: firstLoadLatch.wait,
    async waitUntilReady(timeoutMs) {
      retryIfDue()
      await readyLatch.wait(timeoutMs)
      return !!definitions.current()
    },
    reload: () => (isClosed ? Promise.resolve() : load()),
    async shutdown() {
      if (isClosed) return
      isClosed = true
      isDue = false
      for (const abort of aborts) abort()
      cancelTimer()
      stream?.close()
      firstLoadLatch.open()
      readyLatch.open()
      await cache?.shutdown()
    },
  }
}
