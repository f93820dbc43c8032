import type { CohortDefinition, FlagDefinition, FlagDefinitions } from '../../../wire/definition.ts'

/** The definitions that a cache provider stores: plain JSON. */
export interface CachedDefinitions {
  readonly flags: readonly FlagDefinition[]
  /** Group type index, as a string, to group type. */
  readonly groupTypeMapping: Readonly<Record<string, string>>
  /** Cohort id to definition. */
  readonly cohorts: Readonly<Record<string, CohortDefinition>>
  /** Version of the rules for comparing property values; missing in the protocol's first generation. */
  readonly propertyMatchingVersion?: number | undefined
  /** True: clients may send `$feature_flag_called` with few properties for flags without an experiment. */
  readonly minimalFlagCalledEvents?: boolean | undefined
}

/**
 * Shares flag definitions between processes through Redis, a file or a database. Each method may return a value or a promise; a promise
 * times out after `requestTimeout`. A failing method causes a warning; definitions in use stay in use.
 */
export interface FlagDefinitionCacheProvider {
  /**
   * Called before each load. Returns whether this process requests the definitions from the service. False: the process reads the cache,
   * and sends a request only if the cache has no definitions and none are loaded. A failure counts as true. Never called without a
   * `personalApiKey`: then every load reads the cache.
   */
  shouldFetchFlagDefinitions(): boolean | Promise<boolean>
  /**
   * Returns the stored definitions, as they were received or in the service's own JSON; null or undefined if nothing is stored. After a
   * failure the definitions in use stay in use.
   */
  getFlagDefinitions():
    | CachedDefinitions
    | FlagDefinitions
    | null
    | undefined
    | Promise<CachedDefinitions | FlagDefinitions | null | undefined>
  /** Receives definitions from the service, after this process has put them into use. Not called after a 304 response. */
  onFlagDefinitionsReceived(definitions: CachedDefinitions): unknown
  /** Called when the agent has shut down: release locks and connections. */
  shutdown(): unknown
}
