import type { KeyValue } from '../port/key-value.ts'
import type { FlagDetail, RemoteConfig } from '../wire/decide.ts'
import type { JsonObject } from '../wire/json.ts'
import type { FlagsApi } from './flags-options.ts'

/** What the agent knows about the flags of one user, as it stands in storage. */
export interface FlagSnapshot {
  /** The user's first id: a snapshot of somebody else is not read. */
  owner?: string | undefined
  /** Undefined until a first answer. */
  flags?: Readonly<Record<string, FlagDetail>> | undefined
  /** The service was asked only for some flags yet: of those that are not in `flags` nothing is known. */
  isPart?: boolean | undefined
  /** Identifies the evaluation that gave `flags`. */
  requestId?: string | undefined
  /** The service wants `$feature_flag_called` with few properties where no experiment needs more. */
  isMinimal?: boolean | undefined
  /** Properties set for evaluation alone; they outlive the page so that flags do not flap between pages. */
  person?: JsonObject | undefined
  group?: Readonly<Record<string, JsonObject | undefined>> | undefined
  /** Reads already reported, oldest first. */
  called?: readonly string[] | undefined
  /** What the service told beside the flags. */
  config?: RemoteConfig | undefined
  /** The endpoint that worked when the chosen one was not there. */
  api?: FlagsApi | undefined
}

/** Where it lies in the storage of the agent's project. */
export const SNAPSHOT = 'flags'

/**
 * The stored snapshot of `owner`. A missing, corrupt or foreign one reads as empty, but for how to talk to the service, which is
 * the same for everybody.
 */
export const loadSnapshot = (storage: KeyValue, owner: string): FlagSnapshot => {
  try {
    const stored = JSON.parse(storage.get(SNAPSHOT) ?? '{}') as FlagSnapshot
    const { api, config } = stored
    return stored.owner === owner
      ? stored
      : { owner, api, config: config && { supportedCompression: config.supportedCompression } }
  } catch {
    return { owner }
  }
}
