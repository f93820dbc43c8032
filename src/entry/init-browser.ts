import type { Platform } from '../agent/core.ts'
import { parseHost } from '../agent/options.ts'
import type { Options } from '../agent/options.ts'
import type { Waymark } from '../agent/waymark.ts'
import { watchPageviews } from '../autocapture/pageview.ts'
import type { StartTracing } from '../autocapture/start-tracing.ts'
import { createAgent } from '../agent/agent.ts'
import { STATE_STORAGE_KEY } from '../capture/state.ts'
import { isNonBlankString } from '../wire/is-non-blank-string.ts'
import { serialise } from '../capture/serialise.ts'
import { SPILL_PREFIX } from '../capture/spill.ts'
import { createUuidV7 } from '../codec/uuid.ts'
import type { CreateLocalFlags } from '../flags/local-flags.ts'
import { sendBeacon } from '../platform/browser/beacon.ts'
import { createBrowserChannel } from '../platform/browser/channel.ts'
import { createBrowserClock } from '../platform/browser/clock.ts'
import { createBrowserCompressor } from '../platform/browser/compressor.ts'
import { isBot } from '../platform/browser/is-bot.ts'
import { openEventStore } from '../platform/browser/event-store.ts'
import { createBrowserKeyValue } from '../platform/browser/key-value.ts'
import { createBrowserLock } from '../platform/browser/lock.ts'
import { createBrowserLifecycle } from '../platform/browser/lifecycle.ts'
import { listen } from '../platform/browser/listen.ts'
import { createLogger } from '../platform/browser/logger.ts'
import type { ConsoleLogger, LoadDescriber } from '../platform/browser/logger.ts'
import { createPageProperties } from '../platform/browser/page-properties.ts'
import { randomBytes } from '../platform/browser/random.ts'
import { createSend } from '../platform/browser/send.ts'
import { createWebStorage } from '../platform/browser/web-storage.ts'
import { createWindowId } from '../platform/browser/window-id.ts'
import { createMemoryKeyValue } from '../platform/memory/memory-key-value.ts'
import { callAll } from '../port/call-all.ts'
import type { Clock } from '../port/clock.ts'
import type { Compressor } from '../port/compressor.ts'
import type { Lifecycle } from '../port/lifecycle.ts'
import type { Logger } from '../port/logger.ts'
import { noop } from '../port/noop.ts'
import { VERSION } from '../wire/version.ts'
import { getRunningAgents } from './running-agents.ts'

/** Options of an agent in a browser. */
export interface BrowserOptions extends Options {
  /** Replaces the platform's `fetch`, for events and flags. Default: the global `fetch`, looked up at each request. */
  fetch?: typeof fetch
  /**
   * Exact host names. Requests from this page to these hosts, by `fetch` or XMLHttpRequest, carry `X-POSTHOG-DISTINCT-ID` and
   * `X-POSTHOG-SESSION-ID`, so that events there belong to the same user. A host of another origin must allow these headers in CORS. Values
   * that are not strings are ignored. Default: none.
   */
  tracingHeaders?: readonly string[]
}

/** The parts that differ between the entries for browsers. */
export interface BrowserEntry {
  /** Loads the chunk with the sentences of debug mode and of mistakes. */
  readonly loadDescriber: LoadDescriber
  /** Starts the option `tracingHeaders`. */
  readonly startTracing: StartTracing
  /** Used where the platform has no gzip. Default: none. */
  readonly gzip?: Compressor
  /** Evaluates flags on the page. Default: the service evaluates them. */
  readonly local?: CreateLocalFlags
  /** Called at the agent's start, before any of its verbs takes effect; at once when `init` returns a running agent. */
  readonly onStart?: (agent: Waymark) => void
}

/** Starts the agent of a page, or returns the running one with this key. Never throws. */
export const initBrowser = (apiKey: string, options: BrowserOptions | undefined, entry: BrowserEntry): Waymark => {
  const logger = createLogger(entry.loadDescriber)
  try {
    logger.setDebug(!!options?.debug)
    const json = serialise(options ?? {})
    const [existing, firstJson] = getRunningAgents().get(apiKey) ?? []
    if (!existing) return startAgent(apiKey, options ?? {}, json, entry, logger)
    if (options && json !== firstJson) logger.advise('second_init', apiKey)
    entry.onStart?.(existing)
    return existing
  } catch (error) {
    logger.warn('init() failed:', error)
    return createStoppedAgent()
  }
}

/** Creates an agent that is already shut down: it uses no storage, sends nothing and logs nothing. */
const createStoppedAgent = (): Waymark => {
  const agent = startAgent(
    '-',
    { host: '/-', defaultOptIn: false, persistence: 'memory', capturePageview: false },
    '',
    {} as BrowserEntry,
    { warn: noop, debug: noop, advise: noop, setDebug: noop },
  )
  void agent.shutdown()
  return agent
}

/** Whether the user has enabled Global Privacy Control or the older Do Not Track. */
const isDoNotTrackEnabled = (): boolean => {
  const { globalPrivacyControl, doNotTrack } = (globalThis.navigator ?? {}) as {
    readonly globalPrivacyControl?: boolean
    readonly doNotTrack?: string | null
  }
  return !!globalPrivacyControl || doNotTrack === '1'
}

const startAgent = (
  apiKey: string,
  options: BrowserOptions,
  optionsJson: string | undefined,
  entry: BrowserEntry,
  logger: ConsoleLogger,
): Waymark => {
  if (options.disabled || (options.respectDnt && isDoNotTrackEnabled()) || (options.captureBots === false && isBot()))
    return createStoppedAgent()
  const host = parseHost(options.host ?? globalThis.location?.origin)
  if (!isNonBlankString(apiKey) || !host) {
    logger.warn('no key or host')
    return createStoppedAgent()
  }
  // The names of all options are in the chunk. A name of another agent, which has an underscore, and a mask without the extras are reported
  // without debug mode too.
  for (const name in options) logger[/_(?!send)|^mask/.test(name) ? 'advise' : 'debug']('option', name)

  const clock = createBrowserClock()
  const lifecycle = createBrowserLifecycle()
  const cleanups: (() => void)[] = [() => getRunningAgents().delete(apiKey)]
  const { verbs, start, prepare } = createAgent(apiKey, options, logger, () => ({
    ...openPlatform(apiKey, options, host, logger, clock, lifecycle, verbs, entry, cleanups),
    setDebug: logger.setDebug,
    automaticProperties: createPageProperties(
      { $lib: 'waymark', $lib_version: VERSION, ...(options.disableGeoip && { $geoip_disable: true }) },
      cleanups,
    ),
    autocapture() {
      entry.onStart?.(verbs)
      beginPageviews()
      return callAll(cleanups)
    },
  }))

  // In two later tasks, so that storage does not block the page; earlier when a verb is called, the path changes or the page goes away.
  const startLater = (): void => {
    prepare()
    clock.defer(start)
  }
  const { capturePageview, tracingHeaders } = options
  const beginPageviews = capturePageview === false ? noop : watchPageviews(verbs.pageview, listen, cleanups)
  if (tracingHeaders) cleanups.push(entry.startTracing(tracingHeaders, verbs, host, apiKey))
  cleanups.push(clock.after(0, startLater), lifecycle.onUnload(start))
  getRunningAgents().set(apiKey, [verbs, optionsJson])
  return verbs
}

/** Creates the platform of the agent at its start. */
const openPlatform = (
  apiKey: string,
  options: BrowserOptions,
  host: string,
  logger: Logger,
  clock: Clock,
  lifecycle: Lifecycle,
  { isOptedOut }: Pick<Waymark, 'isOptedOut'>,
  { gzip, local }: BrowserEntry,
  cleanups: (() => void)[],
): Omit<Platform, 'autocapture' | 'automaticProperties' | 'setDebug'> => {
  const newId = createUuidV7(randomBytes)
  const isMemory = options.persistence === 'memory'
  const name = `waymark:${host}:${apiKey}`
  // Keys are separate for each project. The 1 is the version of the stored shapes; a new version uses other keys.
  const prefix = `waymark_1_${apiKey}_`
  const storage = createBrowserKeyValue(prefix, options, STATE_STORAGE_KEY, SPILL_PREFIX, logger.warn)
  const tabStorage = isMemory ? createMemoryKeyValue() : createWebStorage('sessionStorage')
  return {
    host,
    clock,
    newId,
    random: Math.random,
    storage,
    onStorageChange: storage.onChange,
    openStore: async (onLost: () => void) => (isMemory ? undefined : openEventStore(name, clock, onLost)),
    lock: createBrowserLock(name),
    channel: createBrowserChannel(name, lifecycle),
    lifecycle,
    send: createSend(clock, options.fetch),
    beacon: sendBeacon,
    compressor: createBrowserCompressor(gzip),
    local,
    windowId: createWindowId(
      tabStorage,
      `${prefix}window`,
      () => newId(clock.now()),
      lifecycle,
      () => !isOptedOut(),
      cleanups,
    ),
  }
}
