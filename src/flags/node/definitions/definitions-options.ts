import type { FlagDefinitionCacheProvider } from './cache-provider.ts'

/** Options for loading definitions and their changes. */
export interface DefinitionsOptions {
  /** Origin of the service, without a trailing slash. */
  readonly host: string
  /** The project API key. */
  readonly apiKey: string
  /**
   * A personal API key with the scope `feature_flag:read`. It is sent only with requests for definitions. Without it definitions come only
   * from the `flagDefinitionCacheProvider`, which is then required.
   */
  readonly personalApiKey?: string | undefined
  /** Timeout of one request, or of one call of the cache provider, in milliseconds. */
  readonly requestTimeout: number
  /** Milliseconds from the end of one load to the next. Default 30,000, at least 100. Null: loads only at start and at `reload()`. */
  readonly featureFlagsPollingInterval?: number | null | undefined
  /**
   * How changes arrive. `poll` (default): with the next load. `stream`: pushed within a second over an open connection; without a working
   * stream the agent polls. With a cache provider it always polls, because the processes share each load.
   */
  readonly flagUpdates?: 'poll' | 'stream' | undefined
  /** Shares definitions between processes. */
  readonly flagDefinitionCacheProvider?: FlagDefinitionCacheProvider | undefined
}
