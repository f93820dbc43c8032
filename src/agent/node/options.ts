import type { BeforeSend } from '../../capture/before-send.ts'
import type { OnDrop } from '../../capture/drop-report.ts'
import type { SendReport } from '../../capture/post-events.ts'
import type { FlagDefinitionCacheProvider } from '../../flags/node/definitions/cache-provider.ts'
import { MAX_BATCH_EVENTS } from '../../wire/limits.ts'
import { clamp } from '../options.ts'

/** Options of the Node agent and of the edge agent. Only `host` is required. No environment variable is read. */
export interface NodeAgentOptions {
  /** URL of the service, such as `https://analytics.example.com`. A trailing slash is ignored. */
  host?: string
  /** Deliver as soon as this many events are queued. Default 100, at least 1. */
  flushAt?: number
  /** Deliver this many milliseconds after the first queued event. Default 3,000, at least 100. */
  flushInterval?: number
  /** Maximum events per request. Default 1,000, at least 1. A request with several events never exceeds 524,288 characters of JSON. */
  maxBatchSize?: number
  /**
   * Maximum queued events in memory. Default 250,000, at least `flushAt`. Beyond it the oldest events are dropped and reported to `onDrop`.
   */
  maxQueueSize?: number
  /**
   * Maximum queued JSON in memory, in characters. Default 100,663,296 (96 MiB), at least 65,536. Beyond it the oldest events are dropped.
   */
  maxQueueBytes?: number
  /** How many retries one `flush()` waits for. Default 3, at least 0. Delivery itself retries without limit. */
  fetchRetryCount?: number
  /**
   * Longest delay before the first retry, in milliseconds; doubles with each failure, up to 5 minutes. Half of it is random, so that the
   * processes of one outage do not retry together. Default 3,000, at least 100. A longer `Retry-After` of the service is respected.
   */
  fetchRetryDelay?: number
  /** Timeout of a request, in milliseconds. Default 10,000, at least 100. */
  requestTimeout?: number
  /** Send uncompressed JSON instead of gzip. Default false. */
  disableCompression?: boolean
  /**
   * Ask the service not to derive `$geoip_*` properties from the IP address of the request, which is that of this process. Default false.
   */
  disableGeoip?: boolean
  /** Mark all batches as an import of historical events. Default false. */
  historicalMigration?: boolean
  /**
   * Called with each event before it is queued. Return a changed event, or null to drop it; an exception drops it too. A list runs in
   * order. Read at each event: to replace it at run time, assign a new value to the object that was passed to `init`.
   */
  before_send?: BeforeSend | readonly BeforeSend[]
  /** Called for each event that will never be delivered, with the reason. */
  onDrop?: OnDrop
  /** Called after each request with events. */
  onSend?: (report: SendReport) => void
  /** False: the agent starts opted out, until `optIn()`. Default true. */
  defaultOptIn?: boolean
  /** Disable the agent: no requests, no storage, and no method has an effect. Default false. */
  disabled?: boolean
  /** Log each step of the agent to the console. Default false. Warnings about lost data are always logged. */
  debug?: boolean

  /**
   * A personal API key with the scope `feature_flag:read`: flags are then evaluated in this process where possible. The key is sent only
   * with requests for definitions. Default: none, each read of a flag sends a request.
   */
  personalApiKey?: string
  /** False: no local evaluation, even with a `personalApiKey`. Default true. */
  enableLocalEvaluation?: boolean
  /** Milliseconds between loads of definitions. Default 30,000, at least 100. Null: load only at start and at `reloadFeatureFlags()`. */
  featureFlagsPollingInterval?: number | null
  /**
   * How changes of definitions arrive. `poll` (default): with the next load. `stream`: pushed within a second over an open connection;
   * without a working stream the agent polls.
   */
  flagUpdates?: 'poll' | 'stream'
  /**
   * Shares definitions between processes; each of its calls times out after `requestTimeout`. The agent then always polls. Default: none.
   */
  flagDefinitionCacheProvider?: FlagDefinitionCacheProvider
  /** True: a read of flags sends no request unless it sets `onlyEvaluateLocally: false`. Default false. */
  strictLocalEvaluation?: boolean
  /** A flag that names contexts is used only if it names one of these. Default: all flags are used. */
  evaluationContexts?: readonly string[]
  /** Generation of the flag endpoint. Default `decide`. If the service does not have it, the agent uses the other one from then on. */
  flagsApi?: 'decide' | 'flags'
  /** Timeout of a flag request, in milliseconds. Default 3,000, at least 100. */
  featureFlagsRequestTimeoutMs?: number
  /** Maximum retries of a failed flag request. Default 1, from 0 to 10. */
  featureFlagsRequestMaxRetries?: number
  /**
   * Maximum reported reads of flags to remember, so that each is reported once. Beyond it the agent forgets one read at a time: the oldest
   * one of the least recently active user. Default 50,000, at least 1.
   */
  maxFlagCalledEntries?: number
}

type NumericOptions = Record<
  | 'flushAt'
  | 'flushInterval'
  | 'maxBatchSize'
  | 'maxQueueSize'
  | 'maxQueueBytes'
  | 'fetchRetryCount'
  | 'fetchRetryDelay'
  | 'requestTimeout'
  | 'featureFlagsRequestTimeoutMs'
  | 'featureFlagsRequestMaxRetries'
  | 'maxFlagCalledEntries',
  number
>

/** Default, minimum and maximum of each numeric option. */
const BOUNDS: Readonly<Record<keyof NumericOptions, readonly [number, number, number?]>> = {
  flushAt: [MAX_BATCH_EVENTS, 1],
  flushInterval: [3_000, 100],
  maxBatchSize: [1_000, 1],
  maxQueueSize: [250_000, 1],
  maxQueueBytes: [96 * 1024 * 1024, 64 * 1024],
  fetchRetryCount: [3, 0],
  fetchRetryDelay: [3_000, 100],
  requestTimeout: [10_000, 100],
  featureFlagsRequestTimeoutMs: [3_000, 100],
  featureFlagsRequestMaxRetries: [1, 0, 10],
  maxFlagCalledEntries: [50_000, 1],
}

/** Options with all numbers filled in and within their bounds. */
export type NodeAgentSettings = Omit<NodeAgentOptions, keyof NumericOptions | 'featureFlagsPollingInterval'> &
  Readonly<NumericOptions> & {
    /** Milliseconds; null: never. */
    readonly featureFlagsPollingInterval: number | null
  }

/** Applies defaults and bounds. A value that is not a finite number is treated as missing. */
export const resolveNodeOptions = (options: NodeAgentOptions, warn: (message: string) => void): NodeAgentSettings => {
  const numbers = {} as NumericOptions
  for (const name of Object.keys(BOUNDS) as (keyof NumericOptions)[]) {
    // Counts and milliseconds are integers.
    numbers[name] = Math.floor(clamp(options[name], ...BOUNDS[name]))
  }
  if (numbers.maxQueueSize < numbers.flushAt) {
    numbers.maxQueueSize = numbers.flushAt
    warn(`maxQueueSize raised to flushAt (${numbers.flushAt})`)
  }
  const { featureFlagsPollingInterval: pollMs } = options
  return { ...options, ...numbers, featureFlagsPollingInterval: pollMs === null ? null : clamp(pollMs, 30_000, 100) }
}
