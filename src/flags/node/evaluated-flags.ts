import type { FlagValue } from '../../wire/decide.ts'

/** A snapshot of one user's flags; it never changes. */
export interface EvaluatedFlags {
  readonly distinctId: string | undefined
  /** Keys of the flags that have a value. */
  readonly keys: readonly string[]
  /** Whether the flag is on; false if it has no value. The first read of each value is reported. */
  isEnabled(key: string): boolean
  /** The flag's value; undefined if it has none. The first read of each value is reported. */
  getFlag(key: string): FlagValue | undefined
  /** The flag's payload, parsed. Never reported. */
  getFlagPayload(key: string): unknown
  /** A snapshot with these keys only. */
  only(keys: readonly string[]): EvaluatedFlags
  /** A snapshot with the flags read so far, through this snapshot or, before it was made, the one it was filtered from. */
  onlyAccessed(): EvaluatedFlags
  /** The event properties of these flags: `$feature/<key>` for each, and `$active_feature_flags`. */
  eventProperties(): Readonly<Record<string, unknown>>
}
