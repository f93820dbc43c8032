import type { BeforeSend, OutgoingEvent } from '../capture/before-send.ts'
import type { SendReport } from '../capture/delivery.ts'
import type { DropReason } from '../capture/drop-reason.ts'
import type { PersonProfiles } from '../capture/enrich.ts'
import type { IdentityBootstrap } from '../capture/state.ts'
import type { FlagValue } from '../wire/decide.ts'
import { BATCH_MAX_EVENTS } from '../wire/limits.ts'

/**
 * Where identity, consent and flags are kept for reading at once. A durable copy of identity and consent lies with the waiting events
 * in IndexedDB and outlives a lost one; only `memory` keeps nothing at all beyond the page.
 */
export type Persistence = 'localStorage+cookie' | 'localStorage' | 'sessionStorage' | 'memory'

/** Settings of an agent; all optional. */
export interface Options {
  /**
   * Address of the service: `https://…`, or a path of the page's own origin that is passed on to it (`/insight`). A trailing slash is
   * fine. Default: the origin of the page.
   */
  host?: string
  /** Deliver as soon as this many events were captured. Default 100, at least 1. */
  flushAt?: number
  /** Deliver this many milliseconds after the first waiting event. Default 3,000, at least 100. */
  flushInterval?: number
  /** Most events of one request. Default 100, at least 1; a request of several also never exceeds 524,288 characters of JSON. */
  maxBatchSize?: number
  /** Most events that wait, all tabs together (and 20 MB). Default 10,000, at least `flushAt`; beyond it the oldest are dropped. */
  maxQueueSize?: number
  /** How many retries one `flush()` waits for. Default 3; delivery itself goes on for as long as it takes. */
  fetchRetryCount?: number
  /**
   * Most milliseconds before the first retry; doubles with each further failure, up to 5 minutes. Half of it is random, so that the pages of one
   * outage do not return together. Default 3,000, at least 100.
   */
  fetchRetryDelay?: number
  /** Milliseconds after which a request counts as failed. Default 10,000, at least 100. */
  requestTimeout?: number
  /** Send plain JSON. Default false. */
  disableCompression?: boolean
  /** Ask the service not to derive `$geoip_*` properties from the address. Default false. */
  disableGeoip?: boolean
  /** Mark all batches as an import of history. Default false. */
  historicalMigration?: boolean
  /**
   * Sees each event before it is queued: change it, or answer null to drop it. One function, or several in order. Looked up at each event:
   * assign another one to the object that `init` was given, to swap it at run time.
   */
  before_send?: BeforeSend | readonly BeforeSend[]
  /** Default `localStorage+cookie`. */
  persistence?: Persistence
  /** Keep the identity in a cookie of the whole site too, so that its subdomains share it. Default false. */
  crossSubdomainCookie?: boolean
  /** Whose events belong to a person profile. Default `identified_only`. */
  personProfiles?: PersonProfiles
  /** Capture `$pageview` at load and on history changes. Default true. */
  capturePageview?: boolean
  /** A session ends after so many seconds without activity. Default 1,800; from 60 to 36,000 (10 hours). */
  sessionIdleTimeoutSeconds?: number
  /**
   * False: start opted out, until `optIn()`. Nothing is captured, sent or remembered before that; the empty database in IndexedDB is made
   * all the same, to look into it for an earlier consent. Default true.
   */
  defaultOptIn?: boolean
  /** Do nothing, as `disabled`, where the browser asks for it: Global Privacy Control, Do Not Track. Default false. */
  respectDnt?: boolean
  /** No storage, no traffic, and no call changes anything: the answers are those about an unknown user who has opted out. Default false. */
  disabled?: boolean
  /** Tell on the console what the agent does. Default false. */
  debug?: boolean
  /** Load flags at start. Default true. */
  preloadFeatureFlags?: boolean
  /** Load flags again after so many milliseconds, at least 1,000; 0 means never. Default 300,000. */
  flagsIntervalMs?: number
  /** Which generation of the flag endpoint to ask. Default `decide`; where that does not exist, `flags` is used and remembered. */
  flagsApi?: 'decide' | 'flags'
  /** How often a failed flag request is repeated. Default 1, at most 10. */
  featureFlagsRequestMaxRetries?: number
  /**
   * What the page's server knows already, applied before the first call is served. `distinctId`: an anonymous id for a user who was never seen
   * before, or (`isIdentifiedId`) the one that `identify` would be given: it is merged with a stored anonymous user and gives way to another
   * identified one. `sessionID` (a version 7 uuid) continues a session that began elsewhere. Flags: values before the first request.
   */
  bootstrap?: Bootstrap & {
    featureFlags?: Readonly<Record<string, FlagValue>>
    featureFlagPayloads?: Readonly<Record<string, unknown>>
  }
  /** Hears of each event that will never be delivered, and why. */
  onDrop?: (event: OutgoingEvent, reason: DropReason) => void
  /** Hears of each request that carried events, as it went out. */
  onSend?: (report: SendReport) => void
}

/** Identity and session, as the page's server knows them. */
export interface Bootstrap extends IdentityBootstrap {
  readonly sessionID?: string | undefined
}

type Numbers = Record<
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

/** Of each option that is a number: its default, its least and its greatest value. */
const BOUNDS: Readonly<Record<keyof Numbers, readonly [number, number, number?]>> = {
  flushAt: [BATCH_MAX_EVENTS, 1],
  flushInterval: [3_000, 100],
  maxBatchSize: [BATCH_MAX_EVENTS, 1],
  maxQueueSize: [10_000, 1],
  fetchRetryCount: [3, 0],
  fetchRetryDelay: [3_000, 100],
  requestTimeout: [10_000, 100],
  sessionIdleTimeoutSeconds: [1_800, 60, 36_000],
  flagsIntervalMs: [300_000, 0],
  featureFlagsRequestMaxRetries: [1, 0, 10],
}

/** Options with every number filled in and within its bounds. */
export type Settings = Options & Readonly<Numbers>

/** The service's address without a slash at its end; undefined when it is none that a request could go to. */
export const hostOf = (address: string | undefined): string | undefined =>
  /^\s*((https?:\/)?\/[^\s/]\S*?)\/*\s*$/i.exec(address ?? '')?.[1]

/** Applies defaults and bounds; a value that is no number counts as absent. */
export const settle = (options: Options, warn: (message: string) => void): Settings => {
  const settings = { ...options } as Numbers
  for (const name of Object.keys(BOUNDS) as (keyof Numbers)[]) settings[name] = bounded(options[name], ...BOUNDS[name])
  if (settings.maxQueueSize < settings.flushAt) {
    settings.maxQueueSize = settings.flushAt
    warn(`maxQueueSize raised to flushAt (${settings.flushAt})`)
  }
  // 0 means never.
  settings.flagsIntervalMs &&= Math.max(1_000, settings.flagsIntervalMs)
  return settings
}

/** `value`, or `fallback` when it is no finite number, but not below `least` nor above `most`. */
export const bounded = (value: number | undefined, fallback: number, least: number, most: number = Infinity): number =>
  Math.min(most, Math.max(least, Number.isFinite(value) ? value! : fallback))
