import type { Platform } from '../agent/core.ts'
import { parseHost } from '../agent/options.ts'
import type { VerbsOf } from '../agent/parts.ts'
import { watchPageviews } from '../autocapture/pageview.ts'
import { createAgent } from '../agent/agent.ts'
import { isNonBlankString } from '../wire/is-non-blank-string.ts'
import { serialise } from '../capture/serialise.ts'
import type { StopReason } from '../capture/status.ts'
import { createClock } from '../platform/web/clock.ts'
import { isBot } from '../platform/browser/is-bot.ts'
import { createBrowserLifecycle } from '../platform/browser/lifecycle.ts'
import { listen } from '../platform/browser/listen.ts'
import { createLogger } from '../platform/web/logger.ts'
import type { ConsoleLogger } from '../platform/web/logger.ts'
import { createPageProperties } from '../platform/browser/page-properties.ts'
import { callAll } from '../lib/call-all.ts'
import { noop } from '../lib/noop.ts'
import { VERSION } from '../wire/version.ts'
import type { BrowserEntry, BrowserOptions } from './browser-entry.ts'
import { openBrowserPlatform } from './open-browser-platform.ts'
import { getRunningAgents } from './running-agents.ts'

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

  const clock = createClock()
  const lifecycle = createBrowserLifecycle()
  const cleanups: (() => void)[] = [() => getRunningAgents().delete(apiKey)]
  const { verbs, start, prepare } = createAgent(apiKey, options, logger, entry, (): Platform => ({
    ...openBrowserPlatform({ apiKey, options, host, logger, clock, lifecycle, verbs, entry, cleanups }),
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
