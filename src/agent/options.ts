import type { BeforeSend, OutgoingEvent } from '../capture/before-send.ts'
import type { SendReport } from '../capture/post-events.ts'
import type { DropReason } from '../capture/drop-reason.ts'
import type { PersonProfiles } from '../capture/user-properties.ts'
import type { IdentityBootstrap } from '../capture/state.ts'
import type { FlagValue } from '../wire/decide.ts'
import { MAX_BATCH_EVENTS } from '../wire/limits.ts'

/**
 * Where identity, consent and flags are stored for synchronous reads. A second copy of identity and consent is stored with the waiting
 * events in IndexedDB, in case the first one is lost. Only `memory` stores nothing beyond the page.
 */
export type Persistence = 'localStorage+cookie' | 'localStorage' | 'sessionStorage' | 'memory'

/** Options of an agent; all optional. */
export interface Options {
  /**
   * URL of the service: `https://…`, or a path of the page's own origin that is forwarded to it (`/insight`). A trailing slash is
   * allowed. Default: the origin of the page.
   */
  host?: string
  /** Deliver as soon as this many events were captured. Default 100, at least 1. */
  flushAt?: number
  /** Deliver this many milliseconds after the first waiting event was captured. Default 3,000, at least 100. */
  flushInterval?: number
  /**
   * Maximum number of events in one request. Default 100, at least 1. A request with several events also never exceeds 524,288 characters
   * of JSON.
   */
  maxBatchSize?: number
  /**
   * Maximum number of waiting events of all tabs together; they are also limited to 20 MB. Default 10,000, at least `flushAt`. Beyond it
   * the oldest are dropped.
   */
  maxQueueSize?: number
  /** Number of retries that one `flush()` waits for. Default 3, at least 0. The delivery itself is retried without limit. */
  fetchRetryCount?: number
  /**
   * Maximum milliseconds before the first retry; doubles with each further failure, up to 5 minutes. Half of it is random, so that not all
   * pages retry at the same time after an outage. Default 3,000, at least 100.
   */
  fetchRetryDelay?: number
  /** Milliseconds after which a request fails. Default 10,000, at least 100. */
  requestTimeout?: number
  /** Send plain JSON without compression. Default false. */
  disableCompression?: boolean
  /** Ask the service not to derive `$geoip_*` properties from the IP address. Default false. */
  disableGeoip?: boolean
  /** Mark all batches as an import of historical events. Default false. */
  historicalMigration?: boolean
  /**
   * Called for each event before it is queued: returns the changed event, or null to drop it. One function, or several in order. Read at
   * each event: to replace it at run time, assign another one to the options object that was passed to `init`.
   */
  before_send?: BeforeSend | readonly BeforeSend[]
  /** Where identity, consent and flags are stored. Default `localStorage+cookie`. */
  persistence?: Persistence
  /** Store the identity also in a cookie of the whole site, so that its subdomains share it. Default false. */
  crossSubdomainCookie?: boolean
  /** Which users get a person profile. Default `identified_only`. */
  personProfiles?: PersonProfiles
  /** Capture `$pageview` at load and on history changes. Default true. */
  capturePageview?: boolean
  /** A session ends after this many seconds without activity. Default 1,800; from 60 to 36,000 (10 hours). */
  sessionIdleTimeoutSeconds?: number
  /**
   * False: the user is opted out until `optIn()`. Before that nothing is captured or sent, and nothing is stored but the identity that
   * the site itself sets with `identify()` or `reset()`. An empty IndexedDB database is created anyway, to read an earlier consent from it.
   * Default true.
   */
  defaultOptIn?: boolean
  /** Do nothing, as with `disabled`, where the user has enabled Global Privacy Control or Do Not Track. Default false. */
  respectDnt?: boolean
  /** No storage, no requests, and no call changes anything: verbs return the values of an unknown user who has opted out. Default false. */
  disabled?: boolean
  /** Write debug messages to the console. Default false. */
  debug?: boolean
  /** Load flags at start. Default true. */
  preloadFeatureFlags?: boolean
  /** Reload flags at this interval in milliseconds, at least 1,000; 0 means never. Default 300,000. */
  flagsIntervalMs?: number
  /**
   * Which generation of the flag endpoint to use. Default `decide`. If the service does not have it, `flags` is used, and the choice is
   * stored.
   */
  flagsApi?: 'decide' | 'flags'
  /** Number of retries of a failed flag request. Default 1, at most 10. */
  featureFlagsRequestMaxRetries?: number
  /**
   * Data that the page's server already has, applied before the first call.
   *
   * - `distinctId`: an anonymous id for a new user. With `isIdentifiedId` it is an id for `identify`: it is merged with a stored anonymous
   *   user, and ignored for a stored user with another identified id.
   * - `sessionID` (a version 7 uuid): continues a session that began elsewhere.
   * - `featureFlags`, `featureFlagPayloads`: values until the first flag response.
   *
   * Default: none.
   */
  bootstrap?: Bootstrap & {
    featureFlags?: Readonly<Record<string, FlagValue>>
    featureFlagPayloads?: Readonly<Record<string, unknown>>
  }
  /** Called for each event that will never be delivered, with the reason. */
  onDrop?: (event: OutgoingEvent, reason: DropReason) => void
  /** Called for each request with events, as it was sent. */
  onSend?: (report: SendReport) => void
}

/** Identity and session from the page's server. */
export interface Bootstrap extends IdentityBootstrap {
  readonly sessionID?: string | undefined
}

type NumberOptions = Record<
  | 'flushAt'
  | 'flushInterval'
  | 'maxBatchSize'
  | 'maxQueueSize'
  | 'fetchRetryCount'
  | 'fetchRetryDelay'
  | 'requestTimeout'
  | 'sessionIdleTimeoutSeconds'
  | 'flagsIntervalMs'
  | 'featureFlagsRequestMaxRetries',
  number
>

/** Default, minimum and maximum of each numeric option. */
const NUMBER_LIMITS: Readonly<Record<keyof NumberOptions, readonly [fallback: number, min: number, max?: number]>> = {
  flushAt: [MAX_BATCH_EVENTS, 1],
  flushInterval: [3_000, 100],
  maxBatchSize: [MAX_BATCH_EVENTS, 1],
  maxQueueSize: [10_000, 1],
  fetchRetryCount: [3, 0],
  fetchRetryDelay: [3_000, 100],
  requestTimeout: [10_000, 100],
  sessionIdleTimeoutSeconds: [1_800, 60, 36_000],
  flagsIntervalMs: [300_000, 0],
  featureFlagsRequestMaxRetries: [1, 0, 10],
}

/** Options with all numbers present and within their limits. */
export type Settings = Options & Readonly<NumberOptions>

/** The service's URL without a trailing slash; undefined for a string that is not a URL or an absolute path. */
export const parseHost = (url: string | undefined): string | undefined =>
  /^\s*((https?:\/)?\/[^\s/]\S*?)\/*\s*$/i.exec(url ?? '')?.[1]

/** Applies defaults and limits to the numeric options; a value that is not a number counts as missing. */
export const applyDefaults = (options: Options, warn: (message: string) => void): Settings => {
  const settings = { ...options } as NumberOptions
  for (const name of Object.keys(NUMBER_LIMITS) as (keyof NumberOptions)[]) {
    settings[name] = clamp(options[name], ...NUMBER_LIMITS[name])
  }
  if (settings.maxQueueSize < settings.flushAt) {
    settings.maxQueueSize = settings.flushAt
    warn(`maxQueueSize raised to flushAt (${settings.flushAt})`)
  }
  // 0 means never.
  settings.flagsIntervalMs &&= Math.max(1_000, settings.flagsIntervalMs)
  return settings
}

/** Default limit of `shutdown()`: 30 seconds, as in other analytics agents. */
export const SHUTDOWN_TIMEOUT_MS = 30_000

/** `value` between `min` and `max`; `fallback` replaces a value that is not a finite number. */
export const clamp = (value: number | undefined, fallback: number, min: number, max: number = Infinity): number =>
  Math.min(max, Math.max(min, Number.isFinite(value) ? value! : fallback))
