import type { Clock } from '../../../port/clock.ts'
import type { Logger } from '../../../port/logger.ts'
import type { OpenStream } from '../../../port/open-stream.ts'
import type { Send } from '../../../port/send.ts'
import { noop } from '../../../lib/noop.ts'
import { isNonBlankString } from '../../../wire/is-non-blank-string.ts'
import { createSingleFlight } from '../../single-flight.ts'
import type { DefinitionsLoader } from '../definitions-loader.ts'
import { createFetchDefinitions } from './fetch-definitions.ts'
import { createDefinitionsCache } from './definitions-cache.ts'
import { createDefinitionsStream } from './definitions-stream.ts'
import { createCurrentDefinitions } from './current-definitions.ts'
import { parseDefinitions } from './classify-definitions-response.ts'
import { createLatch } from './latch.ts'
import type { DefinitionsOptions } from './definitions-options.ts'
import { createLoadDefinitions } from './load-definitions.ts'
import { resolvePollIntervalMs } from './poll-interval.ts'
import { createResultHandler } from './result-handler.ts'

export interface LoaderPorts {
  readonly clock: Clock
  readonly send: Send
  readonly logger: Logger
  /** Without it the loader always polls. */
  readonly openStream?: OpenStream | undefined
  /** Returns a random number in [0, 1), to spread the reconnects of many processes. Default: `Math.random`. */
  readonly random?: (() => number) | undefined
}

/**
 * Loads definitions at start and then at intervals, from the service or from a cache, one load at a time. Failures leave the current
 * definitions in use, except for an exceeded quota.
 */
export const createDefinitionsLoader = (
  options: DefinitionsOptions,
  { clock, send, logger, openStream, random = Math.random }: LoaderPorts,
): DefinitionsLoader => {
  const { featureFlagsPollingInterval, flagDefinitionCacheProvider: provider } = options
  /** Abort functions of requests in flight, which would keep the process alive. */
  const aborts = new Set<() => void>()
  const fetchDefinitions = createFetchDefinitions((request) => send({ ...request, aborts }), options)
  const cache = provider && createDefinitionsCache(provider, clock, options.requestTimeout, logger.warn)
  const firstLoadLatch = createLatch(clock)
  const readyLatch = createLatch(clock)
  const definitions = createCurrentDefinitions(clock, ({ flags }) => {
    logger.debug('definitions_in_use', flags)
    firstLoadLatch.open()
    readyLatch.open()
  })
  const results = createResultHandler(
    definitions,
    resolvePollIntervalMs(featureFlagsPollingInterval),
    logger,
    readyLatch.close,
  )
  const loadDefinitions = createLoadDefinitions({
    clock,
    definitions,
    results,
    fetchDefinitions,
    canFetch: isNonBlankString(options.personalApiKey),
    cache,
    isClosed: () => isClosed,
  })

  let isClosed = false
  let isLoading = false
  /** Whether the interval has passed since the last load. */
  let isDue = false
  let cancelTimer = noop

  const scheduleNext = (): void => {
    cancelTimer()
    if (isClosed || stream?.isLive()) return
    cancelTimer = clock.after(results.nextDelayMs(), () => {
      isDue = true
      if (featureFlagsPollingInterval !== null) loadUnlessLoading()
    })
  }

  const loadOnce = async (): Promise<void> => {
    if (isClosed) return
    isLoading = true
    isDue = false
    cancelTimer()
    try {
      await loadDefinitions()
    } finally {
      isLoading = false
      scheduleNext()
      firstLoadLatch.open()
    }
    if (results.hasLastLoadSucceeded()) stream?.open()
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
              results.streamIsLive()
            },
            onDefinitions: (json, etag) => void results.apply(parseDefinitions(json, etag)),
            onLost: scheduleNext,
            // After a failure, the back-off of polling decides when to send the next request.
            onRefused: () => results.canLoadAtOnce() && loadUnlessLoading(),
            latestEtag: () => definitions.latest()?.etag,
            // Without polling only a new stream can find out that the service accepts requests again.
            canReconnect: (isRefused) => featureFlagsPollingInterval === null || !(isRefused || results.isRefused()),
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
