import type { FlagValue } from '../../wire/decide.ts'

/** Options of one read of a snapshot. */
export interface SnapshotReadOptions {
  /** False: the read is not reported, and does not count for `onlyAccessed()`. Default true. */
  readonly sendFeatureFlagEvents?: boolean | undefined
}

/** A snapshot of one user's flags; it never changes. */
export interface EvaluatedFlags {
  readonly distinctId: string | undefined
  /** Keys of the flags that have a value. */
  readonly keys: readonly string[]
  /** Whether the flag is on; false if it has no value. The first read of each value is reported, unless the options say otherwise. */
  isEnabled(key: string, options?: SnapshotReadOptions): boolean
  /** The flag's value; undefined if it has none. The first read of each value is reported, unless the options say otherwise. */
  getFlag(key: string, options?: SnapshotReadOptions): FlagValue | undefined
  /** The flag's payload, parsed. Never reported. */
  getFlagPayload(key: string): unknown
  /** Returns a snapshot with these keys only. */
  only(keys: readonly string[]): EvaluatedFlags
  /** Returns a snapshot with the flags whose values were read: from this snapshot, or from its source before `only()` created this one. */
  onlyAccessed(): EvaluatedFlags
  /** Returns the event properties of these flags: `$feature/<key>` for each flag, and `$active_feature_flags`. */
  eventProperties(): Readonly<Record<string, unknown>>
}
