import type { FlagValue } from '../../wire/decide.ts'

/** The flags of one user at one moment; it never changes. */
export interface EvaluatedFlags {
  readonly distinctId: string | undefined
  /** The keys that have a value. */
  readonly keys: readonly string[]
  /** Whether it is on; false for one without a value. The first read of a value is reported. */
  isEnabled(key: string): boolean
  /** Its value; undefined when there is none. The first read is reported. */
  getFlag(key: string): FlagValue | undefined
  /** Its payload, parsed. Never reported. */
  getFlagPayload(key: string): unknown
  /** Those of these keys alone. */
  only(keys: readonly string[]): EvaluatedFlags
  /** Those alone that were read by now: through this one, or before that through the one that it is a part of. */
  onlyAccessed(): EvaluatedFlags
  /** `$feature/<key>` of each, and `$active_feature_flags`: what an event says of them. */
  eventProperties(): Readonly<Record<string, unknown>>
}
