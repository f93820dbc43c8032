import type { Clock } from '../../../port/clock.ts'
import type { Logger } from '../../../port/logger.ts'
import type { OpenStream } from '../../../port/open-stream.ts'
import type { Send } from '../../../port/send.ts'
import { retryAfterMs } from '../../../wire/retry-after.ts'
import { singleFlight } from '../../single-flight.ts'
import type { DefinitionsLoader } from '../definitions-loader.ts'
import { createAskFeed } from './ask-feed.ts'
import { createDefinitionsCache } from './cache.ts'
import type { DefinitionsCache } from './cache.ts'
import { followStream } from './follow-stream.ts'
import { createDefinitionsInUse } from './in-use.ts'
import { judgeAnswer, judgeText } from './judge.ts'
import type { Reason, Verdict } from './judge.ts'
import { createLatch } from './latch.ts'
import type { DefinitionsOptions } from './options.ts'
import { paceMs, pollWaitMs } from './pace.ts'

/** What the loader needs of the platform. */
export interface LoaderPorts {
  readonly clock: Clock
  readonly send: Send
  readonly logger: Logger
  /** Without one changes are polled for. */
  readonly openStream?: OpenStream | undefined
  /** A number in [0, 1), another one at each call: spreads the readers of one stream that ended. Default: `Math.random`. */
  readonly random?: (() => number) | undefined
}

/** How often definitions are asked for again when those of a running request turned out to be older than what came meanwhile. */
const MOST_ASKED_AGAIN = 3

/**
 * Loads definitions at the start and then at a pace, from the service or from a cache, one load at a time. What cannot be had leaves those in
 * use, but for a used up quota. Of several failures in a row the first warns, and one that is different.
 */
export const createDefinitionsLoader = (
  options: DefinitionsOptions,
  { clock, send, logger, openStream, random = Math.random }: LoaderPorts,
): DefinitionsLoader => {
  const { featureFlagsPollingInterval, flagDefinitionCacheProvider: provider } = options
  const mayAsk = !!options.personalApiKey?.trim()
  const pace = paceMs(featureFlagsPollingInterval)
  /** What ends the request that is under way, which would keep the process alive. */
  const ends = new Set<() => void>()
  const askFeed = createAskFeed((request) => send({ ...request, ends }), options)
  const cache = provider && createDefinitionsCache(provider, clock, options.requestTimeout, logger.warn)
  const firstLoaded = createLatch(clock)
  const loaded = createLatch(clock)
  const inUse = createDefinitionsInUse(clock, () => {
    firstLoaded.open()
    loaded.open()
  })

  let isClosed = false
  let isLoading = false
  /** It is time for a load that nobody asks for. */
  let isDue = false
  let refusals = 0
  let nextMs = pace
  /** What the last failure of a run was told to be. */
  let told: string | undefined
  /** The last answer was of use. */
  let isWell = false
  let stopWaiting = (): void => {}

  const waitForNext = (): void => {
    stopWaiting()
    if (isClosed || stream?.isLive()) return
    stopWaiting = clock.after(nextMs, () => {
      isDue = true
      if (featureFlagsPollingInterval !== null) loadUnasked()
    })
  }

  const report = ({ why, detail }: Reason): void => {
    const message = `flag definitions not loaded: ${detail ? `${why}: ${detail}` : why}`
    if (told === why) logger.debug(message)
    else logger.warn(message)
    told = why
  }

  /** Acts on what was learned; `askedMs`: how long the service wants to be left alone. */
  const take = async (verdict: Verdict, askedMs = 0): Promise<void> => {
    const { kind } = verdict
    refusals = kind === 'refused' ? refusals + 1 : 0
    nextMs = pollWaitMs(pace, refusals, askedMs)
    isWell = !('why' in verdict)
    if ('why' in verdict) report(verdict)
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
    if (verdict && 'why' in verdict) report(verdict)
    // Better asked once too often than without flags. Whoever may ask fills the cache.
    return loadFromService(undefined)
  }

  const run = async (): Promise<void> => {
    if (isClosed) return
    isLoading = true
    isDue = false
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
    if (isWell) stream?.open()
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

  const isStreamAsked = options.flagUpdates === 'stream'
  const stream =
    isStreamAsked && openStream && !cache
      ? followStream(
          options,
          { clock, openStream, logger, random },
          {
            live: () => stopWaiting(),
            definitions: (text, etag) => void take(judgeText(text, etag)),
            lost: waitForNext,
            // Once: what automatic loads wait for, this one waits for, too.
            refused: () => isWell && loadUnasked(),
            etag: () => inUse.newest()?.etag,
            // Without polling nothing else would find out that they can be had again.
            isWelcome: () => isWell || featureFlagsPollingInterval === null,
          },
        )
      : undefined
  if (isStreamAsked && !stream)
    logger.warn(
      `no stream of flag definitions ${cache ? 'beside a cache of them' : 'on this platform'}; changes are polled for`,
    )

  /** Without polling it is a read that begins what has failed anew, and does not wait for it. */
  const lookAgain = (): void => {
    if (isDue && !inUse.newest()) loadUnasked()
  }

  return {
    start: loadUnasked,
    current() {
      lookAgain()
      return inUse.current()
    },
    firstLoad: firstLoaded.wait,
    async ready(timeoutMs) {
      lookAgain()
      await loaded.wait(timeoutMs)
      return !!inUse.current()
    },
    reload: () => (isClosed ? Promise.resolve() : load()),
    async shutdown() {
      if (isClosed) return
      isClosed = true
      isDue = false
      for (const end of ends) end()
      stopWaiting()
      stream?.close()
      firstLoaded.open()
      loaded.open()
      await cache?.shutdown()
    },
  }
}
