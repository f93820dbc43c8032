import type { KeyValue } from '../port/key-value.ts'
import type { FlagValue } from '../wire/decide.ts'
import type { JsonObject } from '../wire/json.ts'
import type { FlagsApi } from './flags-options.ts'

/** What the agent knows about flags, as it stands in storage. */
export interface FlagSnapshot {
  /** Undefined until a first answer. */
  flags?: Readonly<Record<string, FlagValue>> | undefined
  /** Flag key to JSON text, as the service sent it. */
  payloads?: Readonly<Record<string, unknown>> | undefined
  /** Identifies the evaluation that gave `flags`. */
  requestId?: string | undefined
  /** Body compressions that the service announced. */
  compression?: readonly string[] | undefined
  /** The endpoint that worked when the chosen one was not there. */
  api?: FlagsApi | undefined
  /** Properties set for evaluation alone; they outlive the page so that flags do not flap between pages. */
  person?: JsonObject | undefined
  group?: Readonly<Record<string, JsonObject>> | undefined
  /** Reads already reported, oldest first. */
  called?: readonly string[] | undefined
}

/** The 1 is the version of `FlagSnapshot`: another shape takes another key. */
const keyOf = (apiKey: string): string => `waymark:1:${apiKey}:flags`

/** Missing and corrupt entries read as an empty snapshot. */
export const loadSnapshot = (storage: KeyValue, apiKey: string): FlagSnapshot => {
  try {
    const stored: FlagSnapshot = Object(JSON.parse(storage.get(keyOf(apiKey)) ?? '{}'))
    return Array.isArray(stored.compression ?? []) ? stored : {}
  } catch {
    return {}
  }
}

/** @returns False when the platform refused the write. */
export const saveSnapshot = (storage: KeyValue, apiKey: string, snapshot: FlagSnapshot): boolean =>
  storage.set(keyOf(apiKey), JSON.stringify(snapshot))
