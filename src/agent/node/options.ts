import type { BeforeSend } from '../../capture/before-send.ts'
import type { OnDrop } from '../../capture/drop-report.ts'
import type { SendReport } from '../../capture/delivery.ts'
import type { FlagDefinitionCacheProvider } from '../../flags/node/definitions/cache-provider.ts'
import { BATCH_MAX_EVENTS } from '../../wire/limits.ts'
import { bounded } from '../options.ts'

/** Settings of an agent on a server; all but `host` optional. No environment variable is read. */
export interface NodeAgentOptions {
  /** Address of the service, such as `https://analytics.example.com`. A trailing slash is fine. */
  host?: string
  /** Deliver as soon as this many events were captured. Default 100, at least 1. */
  flushAt?: number
  /** Deliver this many milliseconds after the first waiting event. Default 3,000, at least 100. */
  flushInterval?: number
  /** Most events of one request. Default 1,000, at least 1; a request of several also never exceeds 524,288 characters of JSON. */
  maxBatchSize?: number
  /** Most events that wait in memory. Default 250,000, at least `flushAt`; beyond it the oldest are dropped, and reported. */
  maxQueueSize?: number
  /** Most characters of JSON that wait in memory. Default 100,663,296 (96 MiB), at least 65,536; beyond it as above. */
  maxQueueBytes?: number
  /** How many retries one `flush()` waits for. Default 3; delivery itself goes on for as long as it takes. */
  fetchRetryCount?: number
  /**
   * Most milliseconds before the first retry; doubles with each further failure, up to 5 minutes. Half of it is random, so that the processes of
   * one outage do not return together. Default 3,000, at least 100. A service that asks for a longer pause (`Retry-After`) gets it.
   */
  fetchRetryDelay?: number
  /** Milliseconds after which a request counts as failed. Default 10,000, at least 100. */
  requestTimeout?: number
  /** Send plain JSON. Default false: gzip. */
  disableCompression?: boolean
  /** Ask the service not to derive `$geoip_*` properties from the address of the request, which is this server's. Default false. */
  disableGeoip?: boolean
  /** Mark all batches as an import of history. Default false. */
  historicalMigration?: boolean
  /**
   * Sees each event before it is queued: change it, or answer null to drop it; one that throws drops it too. One function, or several in order.
   * Looked up at each event: assign another one to the object that `init` was given, to swap it at run time.
   */
  before_send?: BeforeSend | readonly BeforeSend[]
  /** Hears of each event that will never be delivered, and why. */
  onDrop?: OnDrop
  /** Hears of each request that carried events, as it went out. */
  onSend?: (report: SendReport) => void
  /** False: start opted out, until `optIn()`. Default true. */
  defaultOptIn?: boolean
  /** No traffic, no storage, and no call does anything. Default false. */
  disabled?: boolean
  /** Tell on the console what the agent does. Default false; warnings of lost data are told in any case. */
  debug?: boolean

  /**
   * A personal API key that may read flag definitions: flags are then evaluated in this process, where that is possible. It goes to the feed of
   * definitions and nowhere else. Default: the service is asked about each flag.
   */
  personalApiKey?: string
  /** False: do not, though there is a `personalApiKey`. Default true. */
  enableLocalEvaluation?: boolean
  /** Load definitions again after so many milliseconds. Default 30,000, at least 100; null: at the start and at `reloadFeatureFlags()` alone. */
  featureFlagsPollingInterval?: number | null
  /**
   * How changes of definitions arrive. `poll` (default): at the next load. `stream`: pushed, within a second, over a connection that stays open;
   * there is polling only while that cannot be had.
   */
  flagUpdates?: 'poll' | 'stream'
  /** Shares definitions between processes; each of its calls may take `requestTimeout`. With one there is always polling. Default: none. */
  flagDefinitionCacheProvider?: FlagDefinitionCacheProvider
  /** True: a read of flags never asks the service unless it says `onlyEvaluateLocally: false`. Default false. */
  strictLocalEvaluation?: boolean
  /** Flags that name contexts count only when they name one of these. Default: all flags count. */
  evaluationContexts?: readonly string[]
  /** Which generation of the flag endpoint to ask. Default `decide`; where that does not exist, `flags` is used and remembered. */
  flagsApi?: 'decide' | 'flags'
  /** Milliseconds after which a flag request counts as failed. Default 3,000, at least 100. */
  featureFlagsRequestTimeoutMs?: number
  /** How often a failed flag request is repeated. Default 1, at most 10. */
  featureFlagsRequestMaxRetries?: number
  /**
   * Of how many reads of flags the agent remembers that it has reported them, so that each is reported once; beyond it those of the user who has not
   * read for longest are forgotten one by one, the first reported first. Default 50,000, at least 1.
   */
  maxFlagCalledEntries?: number
}

type Numbers = Record<
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

/** Of each option that is a number: its default, its least and its greatest value. */
const BOUNDS: Readonly<Record<keyof Numbers, readonly [number, number, number?]>> = {
  flushAt: [BATCH_MAX_EVENTS, 1],
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

/** Options with every number filled in and within its bounds. */
export type NodeAgentSettings = Omit<NodeAgentOptions, keyof Numbers | 'featureFlagsPollingInterval'> &
  Readonly<Numbers> & {
    /** Milliseconds; null: never. */
    readonly featureFlagsPollingInterval: number | null
  }

/** Applies defaults and bounds; a value that is no number counts as absent. */
export const resolveNodeOptions = (options: NodeAgentOptions, warn: (message: string) => void): NodeAgentSettings => {
  const numbers = {} as Numbers
  for (const name of Object.keys(BOUNDS) as (keyof Numbers)[]) {
    // Nothing is counted in halves.
    numbers[name] = Math.floor(bounded(options[name], ...BOUNDS[name]))
  }
  if (numbers.maxQueueSize < numbers.flushAt) {
    numbers.maxQueueSize = numbers.flushAt
    warn(`maxQueueSize raised to flushAt (${numbers.flushAt})`)
  }
  const { featureFlagsPollingInterval: pollMs } = options
  return { ...options, ...numbers, featureFlagsPollingInterval: pollMs === null ? null : bounded(pollMs, 30_000, 100) }
}
