import { createAgent } from '../agent/agent.ts'
import type { Platform } from '../agent/core.ts'
import { hostOf } from '../agent/options.ts'
import type { Options } from '../agent/options.ts'
import type { Waymark } from '../agent/waymark.ts'
import { watchPageviews } from '../autocapture/pageview.ts'
import { startTracingHeaders } from '../autocapture/tracing-headers.ts'
import { STATE } from '../capture/state.ts'
import { isText } from '../capture/is-text.ts'
import { SPILL } from '../capture/unload.ts'
import { createUuidV7 } from '../codec/uuid.ts'
import type { CreateLocalFlags } from '../flags/local-flags.ts'
import { browserBeacon } from '../platform/browser/beacon.ts'
import { browserChannel } from '../platform/browser/channel.ts'
import { browserClock } from '../platform/browser/clock.ts'
import { browserCompressor } from '../platform/browser/compressor.ts'
import { asksNotToBeTracked } from '../platform/browser/do-not-track.ts'
import { openEventStore } from '../platform/browser/event-store.ts'
import { browserKeyValue } from '../platform/browser/key-value.ts'
import { browserLease } from '../platform/browser/lease.ts'
import { browserLifecycle } from '../platform/browser/lifecycle.ts'
import { listen } from '../platform/browser/listen.ts'
import { createLogger } from '../platform/browser/logger.ts'
import { pageProperties } from '../platform/browser/page-properties.ts'
import { randomBytes } from '../platform/browser/random.ts'
import { createSend } from '../platform/browser/send.ts'
import { webStorage } from '../platform/browser/web-storage.ts'
import { createWindowId } from '../platform/browser/window-id.ts'
import { memoryKeyValue } from '../platform/memory/memory-key-value.ts'
import type { Clock } from '../port/clock.ts'
import type { Compressor } from '../port/compressor.ts'
import type { Lifecycle } from '../port/lifecycle.ts'
import type { Logger } from '../port/logger.ts'
import { Path } from '../wire/path.ts'
import { VERSION } from '../wire/version.ts'

/** Options of an agent in a browser. */
export interface BrowserOptions extends Options {
  /** Replaces the platform's `fetch`, for events and flags. Default: looked up at each request. */
  fetch?: typeof fetch
  /**
   * Exact names of hosts whose requests from this page, by `fetch` or XMLHttpRequest, are to carry `X-POSTHOG-DISTINCT-ID` and
   * `X-POSTHOG-SESSION-ID`, so that what happens there belongs to the same user. A host of another origin has to allow these headers.
   * What is no text is passed over. Default: none.
   */
  tracingHeaders?: readonly string[]
}

/** Where a bundle and a script tag on one page find each other's agents. */
const REGISTRY: unique symbol = Symbol.for('waymark') as never

/** The agents that run, by project API key: a second `init` of a page answers the first one's agent. */
const running = (): Map<string, Waymark> =>
  ((globalThis as { [REGISTRY]?: Map<string, Waymark> })[REGISTRY] ??= new Map<string, Waymark>())

/** What an entry for browsers adds. */
export interface BrowserEntry {
  /** Gzip where the platform has none of its own. */
  readonly gzip?: Compressor
  /** Evaluates flags on the page. */
  readonly local?: CreateLocalFlags
  /** Called when the agent begins, before the first of its verbs does its work; at once when `init` answers one that runs already. */
  readonly onBegin?: (agent: Waymark) => void
}

/** Starts the agent of a page, as `init()` of every entry for browsers promises it. */
export const initBrowser = (apiKey: string, options?: BrowserOptions, entry: BrowserEntry = {}): Waymark => {
  let isDebug = !!options?.debug
  const logger = createLogger(() => isDebug)
  const setDebug = (on: boolean): void => {
    isDebug = on
  }
  try {
    const found = running().get(apiKey)
    if (!found) return start(apiKey, options ?? {}, entry, logger, setDebug)
    entry.onBegin?.(found)
    return found
  } catch (error) {
    logger.warn('init() failed:', error)
    return stopped()
  }
}

/** An agent that was shut down before anything began: no storage, no traffic, no word. */
const stopped = (): Waymark => {
  const nothing = (): void => undefined
  const agent = start(
    '-',
    { host: '/-', defaultOptIn: false, persistence: 'memory', capturePageview: false },
    {},
    { warn: nothing, debug: nothing },
    nothing,
  )
  void agent.shutdown()
  return agent
}

const start = (
  apiKey: string,
  options: BrowserOptions,
  entry: BrowserEntry,
  logger: Logger,
  setDebug: (on: boolean) => void,
): Waymark => {
  if (options.disabled || (options.respectDnt && asksNotToBeTracked())) return stopped()
  const host = hostOf(options.host ?? globalThis.location?.origin)
  if (!isText(apiKey) || !host) {
    logger.warn('init() needs a project API key, and a host such as https://example.com; nothing will be captured')
    return stopped()
  }

  const clock = browserClock()
  const lifecycle = browserLifecycle()
  const ends: (() => void)[] = []
  const { verbs, begin, prepare } = createAgent(apiKey, options, logger, () => ({
    ...openPlatform(apiKey, options, host, logger, clock, lifecycle, verbs, entry),
    setDebug,
    automatic: pageProperties(
      { $lib: 'waymark', $lib_version: VERSION, ...(options.disableGeoip && { $geoip_disable: true }) },
      ends,
    ),
    autocapture: [
      () => {
        entry.onBegin?.(verbs)
        views?.begin()
        return () => ends.forEach((end) => end())
      },
    ],
  }))

  // Tasks of their own, so that the page does not wait for storage; sooner when a verb is called, the path changes or the page goes away.
  const beginLater = (): void => {
    prepare()
    clock.defer(begin)
  }
  const { capturePageview, tracingHeaders } = options
  const views = capturePageview === false ? undefined : watchPageviews(verbs.pageview, listen)
  if (views) ends.push(views.stop)
  if (tracingHeaders) {
    // The host may be the page's own origin: everything else there is the page's.
    const own = [Path.batch, Path.decide, Path.flags, Path.config(apiKey)].map((path) => encodeURI(host + path))
    ends.push(
      startTracingHeaders(
        [tracingHeaders].flat().filter(isText),
        () => (verbs.isOptedOut() ? undefined : [verbs.getDistinctId(), verbs.getSessionId()]),
        (url) => own.some((address) => url.includes(address)),
      ),
    )
  }
  ends.push(clock.after(0, beginLater), lifecycle.onUnload(begin))
  running().set(apiKey, verbs)
  return verbs
}

/** What the agent finds on this page, when it begins. */
const openPlatform = (
  apiKey: string,
  { persistence, crossSubdomainCookie, fetch }: BrowserOptions,
  host: string,
  logger: Logger,
  clock: Clock,
  lifecycle: Lifecycle,
  { isOptedOut }: Pick<Waymark, 'isOptedOut'>,
  { gzip, local }: BrowserEntry,
): Omit<Platform, 'autocapture' | 'automatic' | 'setDebug'> => {
  const newId = createUuidV7(randomBytes)
  const isMemory = persistence === 'memory'
  const name = `waymark:${host}:${apiKey}`
  // Of one project; the 1 is the version of all that is stored: other shapes take other keys.
  const prefix = `waymark_1_${apiKey}_`
  const storage = browserKeyValue({
    prefix,
    persistence,
    crossSubdomainCookie,
    cookieKey: STATE,
    safeKey: SPILL,
    warn: logger.warn,
  })
  const ofTab = isMemory ? memoryKeyValue() : webStorage('sessionStorage')
  const windowId = createWindowId(
    ofTab,
    `${prefix}window`,
    () => newId(clock.now()),
    lifecycle,
    () => !isOptedOut(),
  )
  return {
    host,
    clock,
    newId,
    random: Math.random,
    storage,
    onStorageChange: storage.onChange,
    openStore: async (onLost: () => void) => (isMemory ? undefined : openEventStore(name, clock, onLost)),
    lease: browserLease(name),
    channel: browserChannel(name, lifecycle),
    lifecycle,
    send: createSend(clock, fetch),
    beacon: browserBeacon,
    compressor: browserCompressor(gzip),
    local,
    windowId: windowId.of,
    onShutdown() {
      running().delete(apiKey)
      windowId.end()
    },
  }
}
