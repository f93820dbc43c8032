import { createAgent } from '../agent/agent.ts'
import type { Platform } from '../agent/core.ts'
import { createDescriber } from '../agent/debug/create-describer.ts'
import { parseHost } from '../agent/options.ts'
import type { Options } from '../agent/options.ts'
import { deliverWith } from '../agent/deliver-with.ts'
import { flags, surveys } from '../agent/parts.ts'
import { holdCalls } from '../agent/react-native/hold-calls.ts'
import type { ReactNativeWaymark } from '../agent/react-native/waymark.ts'
import type { Waymark } from '../agent/waymark.ts'
import { createScreenReport } from '../autocapture/react-native/create-screen-report.ts'
import { VERSION_KEY, watchAppLifecycle } from '../autocapture/react-native/lifecycle-events.ts'
import { describeException } from '../autocapture/react-native/describe-exception.ts'
import { readInitialUrl, watchDeepLinks } from '../autocapture/react-native/watch-deep-links.ts'
import { watchExceptions } from '../autocapture/react-native/watch-exceptions.ts'
import { watchNavigation } from '../autocapture/react-native/watch-navigation.ts'
import { EVENTS_FROM, STATE_RECORD_KEY } from '../capture/record-key.ts'
import { SPILL_PREFIX } from '../capture/spill.ts'
import { serialise } from '../capture/serialise.ts'
import type { StopReason } from '../capture/status.ts'
import { STATE_STORAGE_KEY } from '../capture/state.ts'
import { gzipInChunks } from '../codec/gzip-in-chunks.ts'
import { createUuidV7 } from '../codec/uuid.ts'
import { createLogger } from '../platform/web/logger.ts'
import type { CreateLocalFlags } from '../flags/local-flags.ts'
import type { ConsoleLogger } from '../platform/web/logger.ts'
import { createFetchSend } from '../platform/web/fetch-send.ts'
import { createMemoryLock } from '../platform/memory/memory-lock.ts'
import { SINGLE_PAGE_CHANNEL, SINGLE_PAGE_PORTS } from '../platform/memory/single-page-ports.ts'
import { createAppClock } from '../platform/react-native/app-clock.ts'
import { createAppLifecycle } from '../platform/react-native/app-lifecycle.ts'
import type { AppLifecycle } from '../platform/react-native/app-lifecycle.ts'
import { readAppProperties } from '../platform/react-native/app-properties.ts'
import { createAppRandom } from '../platform/react-native/app-random.ts'
import { andThen } from '../platform/react-native/maybe-promise.ts'
import { openAppStorage } from '../platform/react-native/open-app-storage.ts'
import type { OpenedAppStorage } from '../platform/react-native/app-stores.ts'
import { createWriteWatch } from '../platform/react-native/watch-writes.ts'
import type { WriteWatch } from '../platform/react-native/watch-writes.ts'
import { callAll } from '../lib/call-all.ts'
import { callSafely } from '../lib/call-safely.ts'
import type { Clock } from '../port/clock.ts'
import { noop } from '../lib/noop.ts'
import { withTimeout } from '../lib/with-timeout.ts'
import { AppEventName } from '../wire/event.ts'
import { isNonBlankString } from '../wire/is-non-blank-string.ts'
import { VERSION } from '../wire/version.ts'
import { MODULE_OPTION_NAMES } from './react-native-options.ts'
import type { ReactNativeOptions } from './react-native-options.ts'
import { getRunningAgents } from './running-agents.ts'

/** `Application Opened` waits this long for the URL that has started the app. Then it is captured without one. */
const MAX_URL_WAIT_MS = 1_000

/** What differs between the entries for apps. */
export interface ReactNativeEntry {
  /** Names of all options, to warn of any other. */
  readonly optionNames: readonly string[]
  /** Evaluates flags in the app. Default: the service evaluates them. */
  readonly local?: CreateLocalFlags
}

/**
 * Starts the agent of an app, or returns the running one with this key. Never throws.
 *
 * @param appClock Tests pass their own.
 */
export const initReactNative = (
  apiKey: string,
  input: ReactNativeOptions | null | undefined,
  { optionNames, local }: ReactNativeEntry,
  appClock: Clock = createAppClock(),
): ReactNativeWaymark => {
  const logger = createLogger(async () => ({ createDescriber }))
  // Callers in JavaScript may leave them out.
  const options = input ?? ({} as ReactNativeOptions)
  try {
    logger.setDebug(!!options.debug)
    const json = serialise(Object.entries(options).filter(([name]) => !MODULE_OPTION_NAMES.includes(name)))
    const agents = getRunningAgents()
    const [existing, firstJson] = agents.get(apiKey) ?? []
    if (existing) {
      if (json !== firstJson) logger.advise('second_init', apiKey)
      return existing as AppAgent
    }
    if (options.disabled) {
      logger.debug('stopped', 'disabled')
      return createStoppedAgent('disabled')
    }
    const host = parseHost(options.host)
    if (!isNonBlankString(apiKey) || !host || !/^https?:/i.test(host)) {
      logger.warn('init() needs a project API key, and a host such as https://example.com; nothing will be captured')
      return createStoppedAgent('no_key_or_host')
    }
    for (const name of Object.keys(options))
      if (!optionNames.includes(name)) logger.advise('unknown_option', name, optionNames)
    if (!options.storage) logger.warn('no storage: events, user and consent are only in memory')
    const agent = startAgent(apiKey, options, host, logger, appClock, () => agents.delete(apiKey), local)
    agents.set(apiKey, [agent, json])
    return agent
  } catch (error) {
    logger.warn('init() failed:', error)
    return createStoppedAgent('init_failed')
  }
}

/** `Waymark` too, because `getRunningAgents()` holds both kinds. */
type AppAgent = Waymark & ReactNativeWaymark

/** Creates an agent that is already shut down: it uses no storage, sends nothing and logs nothing. */
const createStoppedAgent = (stopReason: StopReason): AppAgent => {
  const agent = startAgent(
    '-',
    { host: '', defaultOptIn: false, captureLifecycle: false },
    'http://-',
    { warn: noop, debug: noop, advise: noop, setDebug: noop },
    createAppClock(),
    noop,
  )
  void agent.shutdown()
  const status = { ...agent.getStatus(), stopReason }
  return Object.assign(agent, { getStatus: () => status })
}

const startAgent = (
  apiKey: string,
  options: ReactNativeOptions,
  host: string,
  logger: ConsoleLogger,
  appClock: Clock,
  onShutdown: () => void,
  local?: CreateLocalFlags,
): AppAgent => {
  const lifecycle = createAppLifecycle(options.appState, options.netInfo)
  const newId = createUuidV7(createAppRandom(options.getRandomValues))
  const writes = createWriteWatch()
  const initialUrl = options.linking && readInitialUrl(options.linking)
  let isShutDown = false
  const cleanups = new Set([onShutdown, () => void (isShutDown = true)])
  let storage: OpenedAppStorage | undefined
  const agentOptions: Options = {
    ...options,
    // The app may replace it in its own object.
    get before_send() {
      return options.before_send ?? []
    },
    onDrop(event, reason) {
      writes.drop(event.uuid)
      options.onDrop?.(event, reason)
    },
    // An opt-out that cannot be read must hold.
    get defaultOptIn() {
      return options.defaultOptIn !== false && !storage?.isUnreadable
    },
  }
  const { verbs: startedVerbs, start } = createAgent(apiKey, agentOptions, logger, { flags, surveys }, () =>
    openPlatform({
      options,
      host,
      logger,
      storage: storage!,
      ports: { clock: { ...appClock, now }, lifecycle, newId, local },
      writes,
      initialUrl,
      isOptedOut: verbs.isOptedOut,
      cleanups,
    }),
  )
  const { verbs, now, release } = holdCalls(startedVerbs, start, appClock.now, options.bootstrap)
  const keys = {
    // The 1 is the version of the stored shapes; a new version uses other keys.
    prefix: `waymark_1_${apiKey}_`,
    eventsFrom: EVENTS_FROM,
    stateKey: STATE_STORAGE_KEY,
    stateRecordKey: STATE_RECORD_KEY,
    spillPrefix: SPILL_PREFIX,
    afterEventsKey: VERSION_KEY,
  }
  const whenReady = andThen(openAppStorage(options.storage, keys, appClock, logger.warn), (opened) => {
    storage = opened
    release()
    // The timer of `flushInterval` may not run in the background, where a push message can start the app.
    if (!lifecycle.isActive()) void verbs.flush()
  })
  /** Resolves when an event that is captured now is stored; without a storage, when it was sent. */
  const whenStored = async (uuid: string): Promise<void> => {
    const decided = writes.whenDecided(uuid)
    await whenReady
    await (storage?.openEvents ? decided : verbs.flush())
  }
  if (options.linking && initialUrl) cleanups.add(watchDeepLinks(options.linking, initialUrl, apiKey, verbs.capture))
  if (options.errorUtils) {
    const captureException = (properties: object, isFatal: boolean): Promise<void> | undefined => {
      const uuid = newId(now())
      const stored = isFatal ? whenStored(uuid) : undefined
      verbs.capture(AppEventName.exception, properties, { uuid })
      return stored
    }
    cleanups.add(watchExceptions(options.errorUtils, captureException, appClock, logger))
  }
  const reportScreen = createScreenReport(verbs.screen)
  return {
    ...verbs,
    async ready() {
      await whenReady
    },
    trackNavigation(ref, { getScreenName } = {}) {
      if (isShutDown) return noop
      const stop = watchNavigation(ref, reportScreen, logger, getScreenName)
      cleanups.add(stop)
      return () => {
        if (cleanups.delete(stop)) stop()
      }
    },
    trackPath(path, options) {
      if (isShutDown) return
      const route = { name: path, key: path, path, params: options?.params }
      callSafely(logger, 'trackPath', () => reportScreen(route, options?.getScreenName))
    },
    captureException(error, properties) {
      callSafely(logger, 'captureException', () =>
        verbs.capture(AppEventName.exception, { ...properties, ...describeException(error, 'handled') }),
      )
    },
  }
}

/** Ports of the platform that exist before it. */
interface AppPorts extends Pick<Platform, 'clock' | 'newId' | 'local'> {
  readonly lifecycle: AppLifecycle
}

/** What exists before the platform. */
interface PlatformParts {
  readonly options: ReactNativeOptions
  /** URL of the service without a trailing slash. */
  readonly host: string
  readonly logger: ConsoleLogger
  readonly storage: OpenedAppStorage
  readonly ports: AppPorts
  readonly writes: WriteWatch
  /** Undefined: the app has not passed its `Linking`. */
  readonly initialUrl: Promise<string | undefined> | undefined
  readonly isOptedOut: () => boolean
  /** Called at the shutdown. */
  readonly cleanups: Set<() => void>
}

/** Creates the platform of the agent at its start. */
const openPlatform = ({
  options,
  host,
  logger,
  storage: { keyValue, openEvents, rewriteState = noop },
  ports,
  writes,
  initialUrl,
  isOptedOut,
  cleanups,
}: PlatformParts): Platform => {
  const { clock, lifecycle } = ports
  const properties: Record<string, unknown> = {
    ...readAppProperties(options),
    $lib: 'waymark-react-native',
    $lib_version: VERSION,
    ...(options.disableGeoip && { $geoip_disable: true }),
  }
  /** Lets the app work between two chunks of the compression. In the background, where timers may stop, there is no need. */
  const pause = (): Promise<void> =>
    new Promise((resolve) => {
      if (!lifecycle.isActive()) return resolve()
      const end = callAll([clock.after(0, () => end()), lifecycle.onHidden(() => end()), resolve])
    })
  return {
    ...ports,
    host,
    random: Math.random,
    automaticProperties: () => properties,
    autocapture(capture) {
      cleanups.add(lifecycle.onHidden(rewriteState))
      if (options.captureLifecycle !== false) {
        const version = { version: properties['$app_version'], build: properties['$app_build'] }
        // Over memory, each start would be that of a new app.
        const mayStore = (): boolean => !!openEvents && !isOptedOut()
        const start = initialUrl && {
          time: new Date(clock.now()),
          url: withTimeout(clock, MAX_URL_WAIT_MS, initialUrl),
        }
        cleanups.add(watchAppLifecycle(capture, version, keyValue, lifecycle, mayStore, start))
      }
      return () => cleanups.forEach((end) => end())
    },
    storage: keyValue,
    openStore: async (onLost) => openEvents && writes.watch(openEvents(onLost)),
    send: createFetchSend({
      clock,
      // React Native would send the cookies of the service's host.
      fetch: (url, init) => (options.fetch ?? fetch)(url, { ...init, credentials: 'omit' }),
      // React Native cannot read a body in chunks, and so not stop at a length.
      readBody: (response) => response.text(),
    }),
    setDebug: logger.setDebug,
    loadDelivery: deliverWith({
      compressor: (json) => gzipInChunks(json, pause),
      lock: createMemoryLock(),
      channel: SINGLE_PAGE_CHANNEL,
    }),
    ...SINGLE_PAGE_PORTS,
  }
}
