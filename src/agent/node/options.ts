import type { FlagDefinitionCacheProvider } from '../../flags/node/definitions/cache-provider.ts'
import { applyLimits, BASE_LIMITS, clamp } from '../base-options.ts'
import type { BaseNumber, BaseOptions, Limits } from '../base-options.ts'

/** Options of the Node agent and of the edge agent. Only `host` is required. No environment variable is read. */
export interface NodeAgentOptions extends BaseOptions {
  /** URL of the service, such as `https://analytics.example.com`. A trailing slash is ignored. */
  host?: string
  /** Maximum events per request. Default 1,000, at least 1. A request with several events never exceeds 524,288 characters of JSON. */
  maxBatchSize?: number
  /**
   * Maximum queued events in memory. Default 250,000, at least `flushAt`. Beyond it the oldest events are dropped and reported to `onDrop`.
   */
  maxQueueSize?: number
  /**
   * Maximum queued JSON in memory, in bytes of UTF-8. Default 100,663,296 (96 MiB), at least 65,536. Beyond it the oldest events are dropped.
   */
  maxQueueBytes?: number
  /**
   * Ask the service not to derive `$geoip_*` properties from the IP address of the request, which is that of this process. Default false.
   */
  disableGeoip?: boolean
  /** False: the agent starts opted out, until `optIn()`. Default true. */
  defaultOptIn?: boolean
  /** Disable the agent: no requests, no storage, and no method has an effect. Default false. */
  disabled?: boolean

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
  /** Timeout of a flag request, in milliseconds. Default 3,000, at least 100. */
  featureFlagsRequestTimeoutMs?: number
  /**
   * Maximum reported reads of flags to remember, so that each is reported once. Beyond it the agent forgets one read at a time: the oldest
   * one of the least recently active user. Default 50,000, at least 1.
   */
  maxFlagCalledEntries?: number
}

type NumericOptions = Record<
  | BaseNumber
  | 'maxBatchSize'
  | 'maxQueueSize'
  | 'maxQueueBytes'
  | 'featureFlagsRequestTimeoutMs'
  | 'maxFlagCalledEntries',
  number
>

/** Limits of each numeric option. */
const NUMBER_LIMITS: Readonly<Record<keyof NumericOptions, Limits>> = {
  ...BASE_LIMITS,
  maxBatchSize: [1_000, 1],
  maxQueueSize: [250_000, 1],
  maxQueueBytes: [96 * 1024 * 1024, 64 * 1024],
  featureFlagsRequestTimeoutMs: [3_000, 100],
  maxFlagCalledEntries: [50_000, 1],
}

/** The options that are not numbers. A record, so that the compiler finds a missing one. */
const OTHER_OPTIONS: Readonly<Record<Exclude<keyof NodeAgentOptions, keyof NumericOptions>, 0>> = {
  host: 0,
  disableCompression: 0,
  historicalMigration: 0,
  before_send: 0,
  onDrop: 0,
  onSend: 0,
  debug: 0,
  flagsApi: 0,
  disableGeoip: 0,
  defaultOptIn: 0,
  disabled: 0,
  personalApiKey: 0,
  enableLocalEvaluation: 0,
  featureFlagsPollingInterval: 0,
  flagUpdates: 0,
  flagDefinitionCacheProvider: 0,
  strictLocalEvaluation: 0,
  evaluationContexts: 0,
}

/** Names of all options of both Node entries. */
export const NODE_OPTION_NAMES: readonly string[] = Object.keys({ ...NUMBER_LIMITS, ...OTHER_OPTIONS })

/** Options with all numbers filled in and within their bounds. */
export type NodeAgentSettings = Omit<NodeAgentOptions, keyof NumericOptions | 'featureFlagsPollingInterval'> &
  Readonly<NumericOptions> & {
    /** Milliseconds; null: never. */
    readonly featureFlagsPollingInterval: number | null
  }

/** Applies defaults and bounds. A value that is not a finite number is treated as missing. */
export const resolveNodeOptions = (options: NodeAgentOptions, warn: (message: string) => void): NodeAgentSettings => {
  // Counts and milliseconds are integers.
  const settings = applyLimits(options, NUMBER_LIMITS, warn)
  // Counts and milliseconds are integers.
  for (const name of Object.keys(NUMBER_LIMITS) as (keyof NumericOptions)[]) settings[name] = Math.floor(settings[name])
  const { featureFlagsPollingInterval: pollMs } = options
  return { ...settings, featureFlagsPollingInterval: pollMs === null ? null : clamp(pollMs, 30_000, 100) }
}
