import type { CohortDefinition, FlagDefinition, FlagDefinitions } from '../../../wire/definition.ts'

/** What a cache provider is given to keep: plain JSON. */
export interface CachedDefinitions {
  readonly flags: readonly FlagDefinition[]
  /** Group type index, as text, to group type. */
  readonly groupTypeMapping: Readonly<Record<string, string>>
  /** Cohort id to definition. */
  readonly cohorts: Readonly<Record<string, CohortDefinition>>
  /** How values are compared; absent in the first generation. */
  readonly propertyMatchingVersion?: number | undefined
  /** `$feature_flag_called` of flags without an experiment may go out with few properties. */
  readonly minimalFlagCalledEvents?: boolean | undefined
}

/**
 * Keeps flag definitions where several processes find them: Redis, a file, a database. Each method may answer at once or by a promise, which is
 * waited for as long as for a request. One that fails costs a warning, and never a flag that is known.
 */
export interface FlagDefinitionCacheProvider {
  /**
   * Whether this process shall ask the service now; asked before each load. False: it reads the cache instead, and asks only when there is nothing
   * there and nothing known. A failure is a yes. Not asked without a `personalApiKey`, which makes every load a read of the cache.
   */
  shouldFetchFlagDefinitions(): boolean | Promise<boolean>
  /** What is kept, as it was given or in the form of the feed; nothing, when nothing is. A failure leaves what is in use. */
  getFlagDefinitions():
    | CachedDefinitions
    | FlagDefinitions
    | null
    | undefined
    | Promise<CachedDefinitions | FlagDefinitions | null | undefined>
  /** Definitions that came from the service and are in use by now. Not called where the service has said that they have not changed (304). */
  onFlagDefinitionsReceived(definitions: CachedDefinitions): unknown
  /** The agent has ended: give back locks and connections. */
  shutdown(): unknown
}
