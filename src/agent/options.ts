import type { PersonProfiles } from '../capture/user-properties.ts'
import type { IdentityBootstrap } from '../capture/state.ts'
import type { FlagValue } from '../wire/decide.ts'
import { MAX_BATCH_EVENTS } from '../wire/limits.ts'
import { applyLimits, BASE_LIMITS } from './base-options.ts'
import type { Extension } from './extension.ts'
import type { BaseNumber, BaseOptions, Limits } from './base-options.ts'

/**
 * Where identity, consent and flags are stored for synchronous reads. A second copy of identity and consent is stored with the waiting
 * events in IndexedDB, in case the first one is lost. Only `memory` stores nothing beyond the page.
 */
export type Persistence = 'localStorage+cookie' | 'localStorage' | 'sessionStorage' | 'memory'

/** Options of an agent; all optional. */
export interface Options extends BaseOptions {
  /**
   * URL of the service: `https://…`, or a path of the page's own origin that is forwarded to it (`/insight`). A trailing slash is
   * allowed. Default: the origin of the page.
   */
  host?: string
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
  /** Ask the service not to derive `$geoip_*` properties from the IP address. Default false. */
  disableGeoip?: boolean
  /** Where identity, consent and flags are stored. Default `localStorage+cookie`. */
  persistence?: Persistence
  /**
   * Store the identity also in a cookie of the whole site, so that its subdomains share it; groups and super properties too, up to 1 KB
   * together. Default false.
   */
  crossSubdomainCookie?: boolean
  /** Which users get a person profile. Default `identified_only`. */
  personProfiles?: PersonProfiles
  /** Capture `$pageview` at load, on history changes, and when the back/forward cache shows a page again. Default true. */
  capturePageview?: boolean
  /** False: do nothing, as with `disabled`, for crawlers and automated browsers. Their events are marked `$is_bot`. Default true. */
  captureBots?: boolean
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
  /** Load flags at start; those that are stored or bootstrapped load again when the page rests. Default true. */
  preloadFeatureFlags?: boolean
  /** Reload flags at this interval in milliseconds, at least 1,000; 0 means never. Default 300,000. */
  flagsIntervalMs?: number
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
  /** Set by `withExtras()` of `waymark/extras`, and by `waymark/compat`. Default: none. */
  extension?: Extension
}

/** Identity and session from the page's server. */
export interface Bootstrap extends IdentityBootstrap {
  readonly sessionID?: string | undefined
}

type NumericOptions = Record<
  BaseNumber | 'maxBatchSize' | 'maxQueueSize' | 'sessionIdleTimeoutSeconds' | 'flagsIntervalMs',
  number
>

/** Options with all numbers present and within their limits. */
export type Settings = Options & Readonly<NumericOptions>

/** The service's URL without a trailing slash; undefined for a string that is not a URL or an absolute path. */
export const parseHost = (url: string | undefined): string | undefined =>
  /^\s*((https?:\/)?\/[^\s/]\S*?)\/*\s*$/i.exec(url ?? '')?.[1]

/** Applies defaults and limits to the numeric options; a value that is not a number counts as missing. */
export const applyDefaults = (options: Options, warn: (message: string) => void): Settings => {
  const limits: Readonly<Record<keyof NumericOptions, Limits>> = {
    ...BASE_LIMITS,
    maxBatchSize: [MAX_BATCH_EVENTS, 1],
    maxQueueSize: [10_000, 1],
    sessionIdleTimeoutSeconds: [1_800, 60, 36_000],
    // 0 means never.
    flagsIntervalMs: [300_000, options.flagsIntervalMs! <= 0 ? 0 : 1_000],
  }
  return applyLimits(options, limits, warn)
}
