import { createAgent } from './agent/agent.ts'
import { inertAgent } from './agent/inert.ts'
import { hostOf, type Options } from './agent/options.ts'
import type { Waymark } from './agent/waymark.ts'
import { startPageviews } from './autocapture/pageview.ts'
import { startTracingHeaders } from './autocapture/tracing-headers.ts'
import { createUuidV7 } from './codec/uuid.ts'
import { browserBeacon } from './platform/browser/beacon.ts'
import { browserChannel } from './platform/browser/channel.ts'
import { browserClock } from './platform/browser/clock.ts'
import { browserCompressor } from './platform/browser/compressor.ts'
import { openEventStore } from './platform/browser/event-store.ts'
import { browserKeyValue } from './platform/browser/key-value.ts'
import { browserLease } from './platform/browser/lease.ts'
import { browserLifecycle } from './platform/browser/lifecycle.ts'
import { createLogger } from './platform/browser/logger.ts'
import { pageProperties } from './platform/browser/page-properties.ts'
import { randomBytes } from './platform/browser/random.ts'
import { createSend } from './platform/browser/send.ts'
import { sessionKeyValue } from './platform/browser/session-key-value.ts'
import { createWindowId } from './platform/browser/window-id.ts'
import { memoryKeyValue } from './platform/memory/memory-key-value.ts'
import type { Compressor } from './port/compressor.ts'
import type { Logger } from './port/logger.ts'
import { EventName } from './wire/event.ts'
import { VERSION } from './wire/version.ts'

/** Options of an agent in a browser. */
export interface BrowserOptions extends Options {
  /** Replaces the platform's `fetch`, for events and flags. Default: looked up at each request. */
  fetch?: typeof fetch
  /**
   * Exact names of hosts whose requests from this page, by `fetch` or XMLHttpRequest, are to carry `X-POSTHOG-DISTINCT-ID` and
   * `X-POSTHOG-SESSION-ID`, so that what happens there belongs to the same user. A host of another origin has to allow these headers.
   * Default: none.
   */
  tracingHeaders?: readonly string[]
}

/** Where a bundle and a script tag on one page find each other's agents. */
const REGISTRY: unique symbol = Symbol.for('waymark') as never

/** The agents that run, by project API key: a second `init` of a page answers the first one's agent. */
function running(): Map<string, Waymark> {
  return ((globalThis as { [REGISTRY]?: Map<string, Waymark> })[REGISTRY] ??= new Map<string, Waymark>())
}

/**
 * Starts the agent of a page, as `init()` of every entry for browsers promises it.
 *
 * @param gzip Where the platform has no gzip of its own.
 */
export function initBrowser(apiKey: string, options?: BrowserOptions, gzip?: Compressor): Waymark {
  let isDebug = !!options?.debug
  const logger = createLogger(() => isDebug)
  const setDebug = (on: boolean): void => {
    isDebug = on
  }
  try {
    return running().get(apiKey) ?? start(apiKey, options ?? {}, gzip, logger, setDebug)
  } catch (error) {
    logger.warn('init() failed; nothing will be captured:', error)
    return inertAgent()
  }
}

function start(
  apiKey: string,
  options: BrowserOptions,
  gzip: Compressor | undefined,
  logger: Logger,
  setDebug: (on: boolean) => void,
): Waymark {
  if (options.disabled) return inertAgent()
  const host = hostOf(options, globalThis.location?.origin)
  if (typeof apiKey !== 'string' || !apiKey.trim() || !host) {
    logger.warn('init() needs a project API key, and a host such as https://example.com; nothing will be captured')
    return inertAgent()
  }

  const clock = browserClock()
  const makeId = createUuidV7(randomBytes)
  const newId = (): string => makeId(clock.now())
  const name = `waymark:${host}:${apiKey}`
  const persistence = options.persistence ?? 'localStorage+cookie'
  const storage = browserKeyValue({
    persistence,
    crossSubdomainCookie: !!options.crossSubdomainCookie,
    cookieKeys: [`waymark_${apiKey}`],
  })
  const automatic = pageProperties({
    $lib: 'waymark',
    $lib_version: VERSION,
    ...(options.disableGeoip ? { $geoip_disable: true } : {}),
  })
  const windowId = createWindowId(
    persistence === 'memory' ? memoryKeyValue() : sessionKeyValue(),
    `waymark_${apiKey}_window`,
    newId,
    browserLifecycle,
  )

  const { verbs: agent, begin } = createAgent(apiKey, options, logger, () => ({
    host,
    clock,
    newId: makeId,
    random: Math.random,
    storage,
    onStorageChange: storage.onChange,
    openStore: async (onLost) => (persistence === 'memory' ? undefined : openEventStore(name, clock, onLost)),
    lease: browserLease(name),
    channel: browserChannel(name, browserLifecycle),
    lifecycle: browserLifecycle,
    send: createSend(clock, options.fetch),
    beacon: browserBeacon,
    compressor: browserCompressor(gzip),
    automatic,
    windowId: windowId.of,
    autocapture: [
      (capture) => {
        if (options.capturePageview === false) return () => undefined
        return startPageviews((properties) => capture(EventName.pageview, properties))
      },
      () => {
        const { tracingHeaders } = options
        if (!tracingHeaders) return () => undefined
        return startTracingHeaders(
          tracingHeaders,
          () => (agent.isOptedOut() ? undefined : [agent.getDistinctId(), agent.getSessionId()]),
          (url) => url.startsWith(host),
        )
      },
    ],
    onShutdown() {
      running().delete(apiKey)
      windowId.end()
    },
    setDebug,
  }))
  running().set(apiKey, agent)
  begin()
  return agent
}
