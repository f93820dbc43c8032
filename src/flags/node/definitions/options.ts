import type { FlagDefinitionCacheProvider } from './cache-provider.ts'

/** How definitions are learned, and how soon their changes. */
export interface DefinitionsOptions {
  /** Origin of the service, without a slash at the end. */
  readonly host: string
  /** The project API key. */
  readonly apiKey: string
  /**
   * A key that may read flag definitions (`feature_flag:read`). It is sent to the definitions feed alone. Without one there must be a
   * `flagDefinitionCacheProvider`, and nothing but that is read.
   */
  readonly personalApiKey?: string | undefined
  /** Milliseconds after which one request, or one call of the cache provider, is given up. */
  readonly requestTimeout: number
  /** Milliseconds from the end of one load to the next. Default 30,000; less than 100 is 100; null: loads at the start and when told to, alone. */
  readonly featureFlagsPollingInterval?: number | null | undefined
  /**
   * How changes arrive. `poll` (default): at the next load. `stream`: they are pushed, within a second, over a connection that stays open; there is
   * polling only while that cannot be had. A cache provider shares what is loaded, so with one it is always `poll`.
   */
  readonly flagUpdates?: 'poll' | 'stream' | undefined
  /** Shares definitions between processes. */
  readonly flagDefinitionCacheProvider?: FlagDefinitionCacheProvider | undefined
}
