import type { BeforeSend } from '../capture/before-send.ts'
import type { OnDrop } from '../capture/drop-report.ts'
import type { SendReport } from '../capture/post-events.ts'
import { MAX_BATCH_EVENTS } from '../wire/limits.ts'

/** Options that the agents of all platforms have. */
export interface BaseOptions {
  /** Deliver as soon as this many events wait. Default 100, at least 1. */
  flushAt?: number
  /** Deliver this many milliseconds after the first waiting event was captured. Default 3,000, at least 100. */
  flushInterval?: number
  /** Number of retries that one `flush()` waits for. Default 3, at least 0. The delivery itself is retried without limit. */
  fetchRetryCount?: number
  /**
   * Maximum milliseconds before the first retry; doubles with each further failure, up to 5 minutes. Half of it is random, so that not all
   * agents retry at the same time after an outage. Default 3,000, at least 100. A longer `Retry-After` of the service is respected.
   */
  fetchRetryDelay?: number
  /** Milliseconds after which a request fails. Default 10,000, at least 100. */
  requestTimeout?: number
  /** Send plain JSON without compression. Default false. */
  disableCompression?: boolean
  /** Mark all batches as an import of historical events. Default false. */
  historicalMigration?: boolean
  /**
   * Called for each event before it is queued: returns the changed event, or null to drop it; an exception drops it too. One function, or
   * several in order. Read at each event: to replace it at run time, assign another one to the options object that was passed to `init`.
   */
  before_send?: BeforeSend | readonly BeforeSend[]
  /** Called for each event that will never be delivered, with the reason. */
  onDrop?: OnDrop
  /** Called for each request with events, as it was sent. */
  onSend?: (report: SendReport) => void
  /** Write debug messages to the console. Default false. Warnings about lost data are always written. */
  debug?: boolean
  /**
   * Which generation of the flag endpoint to use. Default `decide`. If the service does not have it, the agent uses the other one from then
   * on.
   */
  flagsApi?: 'decide' | 'flags'
  /** Number of retries of a failed flag request. Default 1, at most 10. */
  featureFlagsRequestMaxRetries?: number
}

/** Default, minimum and maximum of a numeric option. */
export type Limits = readonly [fallback: number, min: number, max?: number]

/** The numeric options that all agents have. */
export type BaseNumber =
  | 'flushAt'
  | 'flushInterval'
  | 'fetchRetryCount'
  | 'fetchRetryDelay'
  | 'requestTimeout'
  | 'featureFlagsRequestMaxRetries'

export const BASE_LIMITS: Readonly<Record<BaseNumber, Limits>> = {
  flushAt: [MAX_BATCH_EVENTS, 1],
  flushInterval: [3_000, 100],
  fetchRetryCount: [3, 0],
  fetchRetryDelay: [3_000, 100],
  requestTimeout: [10_000, 100],
  featureFlagsRequestMaxRetries: [1, 0, 10],
}

/**
 * Returns the options with all numbers present and within their limits; a value that is not a finite number counts as missing. Warns of
 * each value that it changes. `maxQueueSize` is at least `flushAt`, so `limits` must list it later.
 */
export const applyLimits = <Options extends object, Name extends string>(
  options: Options,
  limits: Readonly<Record<Name | 'flushAt' | 'maxQueueSize', Limits>>,
  warn: (message: string) => void,
): Options & Record<Name | 'flushAt' | 'maxQueueSize', number> => {
  const settings = { ...options } as Record<string, number>
  // Not `for … in`: a page may have added names to all objects.
  for (const name of Object.keys(limits)) {
    let [fallback, min, max] = (limits as Readonly<Record<string, Limits>>)[name]!
    if (name === 'maxQueueSize') min = settings.flushAt!
    const value = settings[name] as unknown
    settings[name] = clamp(settings[name], fallback, min, max)
    if ((value ?? settings[name]) !== settings[name]) warn(`${name}: ${String(value)} replaced by ${settings[name]}`)
  }
  return settings as typeof options & Record<Name | 'flushAt' | 'maxQueueSize', number>
}

/** `value` between `min` and `max`; `fallback` replaces a value that is not a finite number. */
export const clamp = (value: number | undefined, fallback: number, min: number, max: number = Infinity): number =>
  Math.min(max, Math.max(min, Number.isFinite(value) ? value! : fallback))

/** Default limit of `shutdown()`: 30 seconds, as in other analytics agents. */
export const SHUTDOWN_TIMEOUT_MS = 30_000
