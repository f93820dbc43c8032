import type { KeyValue } from '../port/key-value.ts'
import type { FlagDetail, RemoteConfig } from '../wire/decide.ts'
import type { JsonObject } from '../wire/json.ts'
import { parseJson } from '../wire/parse-json.ts'
import type { FlagsApi } from './flags-options.ts'

/** What the agent knows about one user's flags, as stored. */
export interface FlagSnapshot {
  /** The user's first id. The snapshot of another user is not read. */
  owner?: string | undefined
  /** Undefined until the first response. */
  flags?: Readonly<Record<string, FlagDetail>> | undefined
  /** True when only some flags were requested: a flag that is not in `flags` may still exist. */
  isPart?: boolean | undefined
  /** Identifies the evaluation that gave `flags`. */
  requestId?: string | undefined
  /** True when the service wants only the minimal properties in `$feature_flag_called`, for flags without an experiment. */
  isMinimal?: boolean | undefined
  /** Properties set for evaluation only. They are stored so that flags keep their values from page to page. */
  person?: JsonObject | undefined
  group?: Readonly<Record<string, JsonObject | undefined>> | undefined
  /** Reads that were reported, as flag key, tab and value, oldest first. */
  called?: readonly string[] | undefined
  /** The remote config. */
  config?: RemoteConfig | undefined
  /** The endpoint that worked after the default one was missing. */
  api?: FlagsApi | undefined
}

/** Key of the snapshot in the storage of the agent's project. */
export const SNAPSHOT_KEY = 'flags'

/**
 * Loads the stored snapshot of `owner`. Without a readable snapshot it returns an empty one. Of another user's snapshot it keeps only
 * the endpoint and the compressions of the service, which are the same for all users.
 */
export const loadSnapshot = (storage: KeyValue, owner: string): FlagSnapshot => {
  const stored = (parseJson(storage.get(SNAPSHOT_KEY) ?? 'null') ?? {}) as FlagSnapshot
  const { api, config } = stored
  return stored.owner === owner
    ? stored
    : { owner, api, config: config && { supportedCompression: config.supportedCompression } }
}
