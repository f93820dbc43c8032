import type { Platform } from '../agent/core.ts'
import type { CaptureWaymark } from '../agent/waymark.ts'
import { createUuidV7 } from '../codec/uuid.ts'
import { createHostMark } from '../lib/host-mark.ts'
import { withoutSlash } from '../lib/without-slash.ts'
import { sendBeacon } from '../platform/browser/beacon.ts'
import { openEventStore } from '../platform/browser/event-store.ts'
import { resolveHost } from '../platform/browser/resolve-host.ts'
import { createSend } from '../platform/browser/send.ts'
import { createWebStorage } from '../platform/browser/web-storage.ts'
import { createWhenAtRest } from '../platform/browser/when-at-rest.ts'
import { createWindowId } from '../platform/browser/window-id.ts'
import { createMemoryKeyValue } from '../platform/memory/memory-key-value.ts'
import { randomBytes } from '../platform/web/random.ts'
import type { Clock } from '../port/clock.ts'
import type { Lifecycle } from '../port/lifecycle.ts'
import type { Logger } from '../port/logger.ts'
import { isServiceResponse } from '../wire/is-service-response.ts'
import type { BrowserEntry, BrowserOptions } from './browser-entry.ts'
import { openBrowserStorage } from './open-browser-storage.ts'
import { siteName } from './site-name.ts'

/** Begins the keys of all agents in the browser's stores. The 1 is the version of the stored shapes; a new version uses other keys. */
export const STORAGE_PREFIX = 'waymark_1_'

/** What exists before the platform. */
export interface PlatformParts {
  readonly apiKey: string
  readonly options: BrowserOptions
  /** URL of the service without a trailing slash. */
  readonly host: string
  readonly logger: Logger
  readonly clock: Clock
  readonly lifecycle: Lifecycle
  /** Called only after the start. */
  readonly verbs: Pick<CaptureWaymark, 'isOptedOut'>
  readonly entry: Pick<BrowserEntry, 'loadDelivery' | 'lz64' | 'local'>
  /** Called at the shutdown. */
  readonly cleanups: (() => void)[]
}

/** Creates the platform of the agent at its start. */
export const openBrowserPlatform = ({
  apiKey,
  options,
  host,
  logger,
  clock,
  lifecycle,
  verbs,
  entry: { loadDelivery, lz64, local },
  cleanups,
}: PlatformParts): Omit<Platform, 'autocapture' | 'automaticProperties' | 'setDebug'> => {
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
      () => !verbs.isOptedOut(),
      cleanups,
    ),
  }
}
