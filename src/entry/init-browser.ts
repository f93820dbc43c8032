import type { Platform } from '../agent/core.ts'
import { parseHost } from '../agent/options.ts'
import type { Options } from '../agent/options.ts'
import type { Parts, VerbsOf } from '../agent/parts.ts'
import type { CaptureWaymark } from '../agent/waymark.ts'
import { watchPageviews } from '../autocapture/pageview.ts'
import type { StartTracing } from '../autocapture/start-tracing.ts'
import { createAgent } from '../agent/agent.ts'
import type { Lz64Encoder } from '../capture/encode.ts'
import { isServiceResponse } from '../wire/is-service-response.ts'
import { isNonBlankString } from '../wire/is-non-blank-string.ts'
import { serialise } from '../capture/serialise.ts'
import type { StopReason } from '../capture/status.ts'
import { createUuidV7 } from '../codec/uuid.ts'
import type { CreateLocalFlags } from '../flags/local-flags.ts'
import { sendBeacon } from '../platform/browser/beacon.ts'
import { createBrowserClock } from '../platform/browser/clock.ts'
import { isBot } from '../platform/browser/is-bot.ts'
import { openEventStore } from '../platform/browser/event-store.ts'
import { createBrowserLifecycle } from '../platform/browser/lifecycle.ts'
import { listen } from '../platform/browser/listen.ts'
import { createLogger } from '../platform/browser/logger.ts'
import type { ConsoleLogger, LoadDescriber } from '../platform/browser/logger.ts'
import { createPageProperties } from '../platform/browser/page-properties.ts'
import { randomBytes } from '../platform/browser/random.ts'
import { resolveHost } from '../platform/browser/resolve-host.ts'
import { createSend } from '../platform/browser/send.ts'
import { createWebStorage } from '../platform/browser/web-storage.ts'
import { createWhenAtRest } from '../platform/browser/when-at-rest.ts'
import { createWindowId } from '../platform/browser/window-id.ts'
import { createMemoryKeyValue } from '../platform/memory/memory-key-value.ts'
import { callAll } from '../port/call-all.ts'
import type { Clock } from '../port/clock.ts'
import { createHostMark } from '../port/host-mark.ts'
import type { Lifecycle } from '../port/lifecycle.ts'
import type { Logger } from '../port/logger.ts'
import { noop } from '../port/noop.ts'
import { VERSION } from '../wire/version.ts'
import { withoutSlash } from '../port/without-slash.ts'
import { openBrowserStorage } from './open-browser-storage.ts'
import { siteName } from './site-name.ts'
import { getRunningAgents } from './running-agents.ts'

/** Begins the keys of all agents in the browser's stores. The 1 is the version of the stored shapes; a new version uses other keys. */
export const STORAGE_PREFIX = 'waymark_1_'

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

/** What differs between the entries for browsers. */
export interface BrowserEntry extends Parts {
  /** Loads the chunk with the sentences of debug mode and of mistakes. */
  readonly loadDescriber: LoadDescriber
  /** Names of all options, to warn of any other. Default: other names are reported only in debug mode. */
  readonly optionNames?: readonly string[]
  /** Starts the option `tracingHeaders`. Default: the option has no effect. */
  readonly tracing?: StartTracing
  /** Returns or loads the code that delivers the events. @param host URL of the service. */
  readonly loadDelivery: (host: string) => ReturnType<Platform['loadDelivery']>
  /** Compresses a beacon, and other bodies where there is no gzip. Default: they are plain JSON. */
  readonly lz64?: Lz64Encoder
  /** Evaluates flags on the page. Default: the service evaluates them. */
  readonly local?: CreateLocalFlags
  /** Called at the agent's start, before any of its verbs takes effect; at once when `init` returns a running agent. */
  readonly onStart?: (agent: CaptureWaymark) => void
}

/** Starts the agent of a page, or returns the running one with this key. Never throws. */
export const initBrowser = <Entry extends BrowserEntry>(
  apiKey: string,
  options: BrowserOptions | undefined,
  entry: Entry,
): VerbsOf<Entry> => {
  const logger = createLogger(entry.loadDescriber)
  try {
    logger.setDebug(!!options?.debug)
    const json = serialise(options ?? {})
    const [existing, firstJson] = getRunningAgents().get(apiKey) ?? []
    if (!existing) {
      const reason = findStopReason(options ?? {})
      return reason ? createStoppedAgent(entry, logger, reason) : startAgent(apiKey, options ?? {}, json, entry, logger)
    }
    if (options && json !== firstJson) logger.advise('second_init', apiKey)
    entry.onStart?.(existing)
    // The agents of a page should have the parts of the same entry (`addMissingVerbs`).
    return existing as VerbsOf<Entry>
  } catch (error) {
    logger.warn('init() failed:', error)
    return createStoppedAgent(entry, logger, 'init_failed')
  }
}

/** Creates an agent that is already shut down: it uses no storage, sends nothing, and logs only in debug mode why. */
const createStoppedAgent = <Entry extends BrowserEntry>(
  { flags, surveys, loadDelivery }: Entry,
  logger: ConsoleLogger,
  stopReason: StopReason,
): VerbsOf<Entry> => {
  const tell = (): void => logger.debug('stopped', stopReason)
  const agent = startAgent(
    '-',
    { host: '/-', defaultOptIn: false, persistence: 'memory', capturePageview: false },
    '',
    { flags, surveys, loadDelivery } as Entry,
    {
      warn: noop,
      debug: noop,
      advise: noop,
      setDebug(isDebug) {
        logger.setDebug(isDebug)
        tell()
      },
    },
  )
  void agent.shutdown()
  tell()
  const status = { ...agent.getStatus(), stopReason }
  return Object.assign(agent, { getStatus: () => status })
}

/** Whether the user has enabled Global Privacy Control or the older Do Not Track. */
const isDoNotTrackEnabled = (): boolean => {
  const { globalPrivacyControl, doNotTrack } = (globalThis.navigator ?? {}) as {
    readonly globalPrivacyControl?: boolean
    readonly doNotTrack?: string | null
  }
  return !!globalPrivacyControl || doNotTrack === '1'
}

/** On a server, one agent would count all visitors as one person. */
const findStopReason = (options: BrowserOptions): StopReason | undefined => {
  if (!globalThis.location) return 'no_page'
  if (options.disabled) return 'disabled'
  if (options.respectDnt && isDoNotTrackEnabled()) return 'do_not_track'
  return options.captureBots === false && isBot() ? 'bot' : undefined
}

const startAgent = <Entry extends BrowserEntry>(
  apiKey: string,
  options: BrowserOptions,
  optionsJson: string | undefined,
  entry: Entry,
  logger: ConsoleLogger,
): VerbsOf<Entry> => {
  const host = parseHost(options.host ?? globalThis.location?.origin)
  if (!isNonBlankString(apiKey) || !host) {
    logger.warn('no key or host')
    return createStoppedAgent(entry, logger, 'no_key_or_host')
  }
  // The chunk finds the nearest real name.
  for (const name of Object.keys(options))
    logger[entry.optionNames?.includes(name) === false ? 'advise' : 'debug']('option', name)

  const clock = createBrowserClock()
  const lifecycle = createBrowserLifecycle()
  const cleanups: (() => void)[] = [() => getRunningAgents().delete(apiKey)]
  const { verbs, start, prepare } = createAgent(apiKey, options, logger, entry, (): Platform => ({
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
  const beginPageviews = options.capturePageview === false ? noop : watchPageviews(verbs.pageview, listen, cleanups)
  if (options.tracingHeaders && entry.tracing) cleanups.push(entry.tracing(options.tracingHeaders, verbs, host, apiKey))
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
  { isOptedOut }: Pick<CaptureWaymark, 'isOptedOut'>,
  { loadDelivery, lz64, local }: BrowserEntry,
  cleanups: (() => void)[],
): Omit<Platform, 'autocapture' | 'automaticProperties' | 'setDebug'> => {
  const newId = createUuidV7(randomBytes)
  const isMemory = options.persistence === 'memory'
  // Keys are separate for each project.
  const prefix = `${STORAGE_PREFIX}${apiKey}_`
  const storage = openBrowserStorage(prefix, options, logger.warn)
  const bareHost = createHostMark(storage, 'bare', resolveHost(host))
  const tabStorage = isMemory ? createMemoryKeyValue() : createWebStorage('sessionStorage')
  return {
    host: bareHost.host,
    clock,
    newId,
    random: Math.random,
    storage,
    onStorageChange: storage.onChange,
    openStore: async (onLost: () => void) =>
      isMemory ? undefined : openEventStore(siteName(host, apiKey), clock, onLost),
    loadDelivery: () => loadDelivery(host),
    whenAtRest: createWhenAtRest(clock),
    lifecycle,
    send: createSend(clock, options.fetch, bareHost, isServiceResponse),
    beacon: (url, ...content) => sendBeacon(bareHost.isSet() ? withoutSlash(url) : url, ...content),
    lz64,
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
