import type { FlagKey, FlagPayloadOf, FlagValueOf } from '../../wire/typed-flags.ts'

/** A snapshot of one user's flags; it never changes. */
export interface EvaluatedFlags {
  readonly distinctId: string | undefined
  /** Keys of the flags that have a value. */
  readonly keys: readonly FlagKey[]
  /** Whether the flag is on; false if it has no value. The first read of each value is reported. */
  isEnabled(key: FlagKey): boolean
  /** The flag's value; undefined if it has none. The first read of each value is reported. */
  getFlag<Key extends FlagKey>(key: Key): FlagValueOf<Key> | undefined
  /** The flag's value, read silently: not reported, and not accessed for `onlyAccessed()`. Undefined if it has none. */
  peekFlag<Key extends FlagKey>(key: Key): FlagValueOf<Key> | undefined
  /** The flag's payload, parsed. The same object at each call: do not change it. Never reported. */
  getFlagPayload<Key extends FlagKey>(key: Key): FlagPayloadOf<Key>
  /** Returns a snapshot with these keys only. */
  only(keys: readonly FlagKey[]): EvaluatedFlags
  /** Returns a snapshot with the flags whose values were read: from this snapshot, or from its source before `only()` created this one. */
  onlyAccessed(): EvaluatedFlags
  /** Returns the event properties of these flags: `$feature/<key>` for each flag, and `$active_feature_flags`. */
  eventProperties(): Readonly<Record<string, unknown>>
}
