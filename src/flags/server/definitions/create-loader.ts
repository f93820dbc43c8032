import type { Clock } from '../../../port/clock.ts'
import type { Logger } from '../../../port/logger.ts'
import type { Send } from '../../../port/send.ts'
import { retryAfterMs } from '../../../wire/retry-after.ts'
import { singleFlight } from '../../single-flight.ts'
import type { DefinitionsLoader } from '../definitions-loader.ts'
import { createAskFeed } from './ask-feed.ts'
import { createDefinitionsCache, type DefinitionsCache } from './cache.ts'
import { createDefinitionsInUse } from './in-use.ts'
import { judgeAnswer, type Verdict } from './judge.ts'
import { createLatch } from './latch.ts'
import type { DefinitionsOptions } from './options.ts'
import { paceMs, pollWaitMs } from './pace.ts'

/** What the loader needs of the platform. */
export interface LoaderPorts {
  readonly clock: Clock
  readonly send: Send
  readonly logger: Logger
  /** Keeps the process alive until its answer is called: while somebody waits. */
  readonly hold?: (() => () => void) | undefined
}

/** How often definitions are asked for again when those of a running request turned out to be older than what came meanwhile. */
const MOST_ASKED_AGAIN = 3

/**
 * Loads definitions at the start and then at a pace, from the service or from a cache, one load at a time. What cannot be had leaves those in
 * use, but for a used up quota. Of several failures in a row the first warns, and one that is different.
 */
export const createDefinitionsLoader = (
  options: DefinitionsOptions,
  { clock, send, logger, hold = () => () => {} }: LoaderPorts,
): DefinitionsLoader => {
  const { featureFlagsPollingInterval, flagDefinitionCacheProvider: provider } = options
  const mayAsk = !!options.personalApiKey?.trim()
  const pace = paceMs(featureFlagsPollingInterval)
  const askFeed = createAskFeed(send, options)
  const cache = provider && createDefinitionsCache(provider, clock, options.requestTimeout, logger.warn)
  const firstLoaded = createLatch(clock)
  const loaded = createLatch(clock)
  const inUse = createDefinitionsInUse(clock, () => {
    firstLoaded.open()
    loaded.open()
  })

  let isClosed = false
  let isLoading = false
  /** Nothing was loaded for as long as it takes; without polling a flag read begins the next load. */
  let isDue = false
  let refusals = 0
  let nextMs = pace
  /** What the last failure of a run was told to be. */
  let told: string | undefined
  let stopWaiting = (): void => {}

  const waitForNext = (): void => {
    stopWaiting()
    isDue = false
    if (isClosed) return
    stopWaiting = clock.after(nextMs, () => {
      isDue = true
      if (featureFlagsPollingInterval !== null) loadUnasked()
    })
  }

  const report = (reason: string): void => {
    const why = `flag definitions not loaded: ${reason}`
    if (told === why) logger.debug(why)
    else logger.warn(why)
    told = why
  }

  /** Acts on what was learned; `askedMs`: how long the service wants to be left alone. */
  const take = async (verdict: Verdict, askedMs = 0): Promise<void> => {
    const { kind } = verdict
    refusals = kind === 'refused' ? refusals + 1 : 0
    nextMs = pollWaitMs(pace, refusals, askedMs)
    if ('why' in verdict) report(verdict.why)
    else told = undefined
    if (kind === 'found') await inUse.use(verdict.found)
    else if (kind === 'same') inUse.retag(verdict.etag)
    else if (kind === 'paused') {
      inUse.clear()
      loaded.close()
    }
  }

  /** @param cacheToFill Is given what comes. */
  const loadFromService = async (cacheToFill: DefinitionsCache | undefined): Promise<void> => {
    for (let again = 0; ; again++) {
      const before = inUse.revision()
      const held = inUse.newest()
      const answer = await askFeed(held?.etag)
      if (isClosed) return
      // Others have come in while it was under way, and may be newer.
      if (inUse.revision() !== before && again < MOST_ASKED_AGAIN) continue
      const verdict = judgeAnswer(answer, held)
      await take(verdict, retryAfterMs(answer.retryAfter, clock.now()))
      if (verdict.kind === 'found') await cacheToFill?.keep(verdict.found.definitions)
      return
    }
  }

  const loadFromCache = async ({ read }: DefinitionsCache): Promise<void> => {
    const verdict = await read()
    if (isClosed) return
    if (verdict?.kind === 'found' || inUse.newest() || !mayAsk)
      return take(verdict ?? { kind: 'failed', why: 'the cache is empty' })
    if (verdict && 'why' in verdict) report(verdict.why)
    // Better asked once too often than without flags. Whoever may ask fills the cache.
    return loadFromService(undefined)
  }

  const run = async (): Promise<void> => {
    if (isClosed) return
    isLoading = true
    stopWaiting()
    try {
      const toRead = cache && !(mayAsk && (await cache.decide())) ? cache : undefined
      if (isClosed) return
      await (toRead ? loadFromCache(toRead) : loadFromService(cache))
    } finally {
      isLoading = false
      waitForNext()
      firstLoaded.open()
    }
  }

  const load = singleFlight(
    (begin) => begin(),
    run,
    (error) => logger.warn('flag definitions not loaded', error),
  )
  /** Joins the load under way. */
  const loadUnasked = (): void => {
    if (!isLoading) void load()
  }

  /** Keeps the process alive while somebody waits. */
  const held = async <T>(waiting: Promise<T>): Promise<T> => {
    const release = hold()
    try {
      return await waiting
    } finally {
      release()
    }
  }

  return {
    start: loadUnasked,
    current: inUse.current,
    firstLoad(timeoutMs) {
      if (isDue && !inUse.newest()) loadUnasked()
      return held(firstLoaded.wait(timeoutMs))
    },
    async ready(timeoutMs) {
      if (isDue && !inUse.newest()) loadUnasked()
      await held(loaded.wait(timeoutMs))
      return !!inUse.current()
    },
    reload: () => (isClosed ? Promise.resolve() : held(load())),
    async shutdown() {
      if (isClosed) return
      isClosed = true
      stopWaiting()
      firstLoaded.open()
      loaded.open()
      if (cache) await held(cache.shutdown())
    },
  }
}
