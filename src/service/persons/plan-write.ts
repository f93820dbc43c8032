import type { JsonObject } from '../../wire/json.ts'
import type { StoredSize } from './person.ts'

/**
 * How changed properties are written: only those with these names, or all of them. `folded`: all, and what was beside the base is deleted.
 */
export type PropertyWrite = ReadonlySet<string> | 'whole' | 'folded'

/** Default size of the properties from which changes are written by themselves: two pages of a database. */
export const MIN_BASE_BYTES = 8 * 1024

/** Part of the base that the changes beside it may take. So all writes together are a few times the size of the changes. */
const MAX_CHANGE_SHARE = 1 / 4

/**
 * DuckDB finds changed members by a regular expression of their names (`property-changes.ts`), which RE2 compiles to about an instruction a
 * byte; it takes 175,000. So a name counts more than a value, and of larger bases that earlier versions wrote less is beside them.
 */
const NAME_WEIGHT = 4
const MAX_CHANGE_BYTES = 512 * 1024

/** What a row costs besides its name and value, so that thousands of small ones are not beside a base either. */
const ROW_BYTES = 64

/** A change of properties. */
export interface ChangedProperties {
  /** How they are stored; undefined for new or small ones. */
  readonly stored: StoredSize | undefined
  readonly properties: JsonObject
  /** Size of the properties, in bytes of JSON. */
  readonly bytes: number
  /** The names that have changed; null for too many to name. */
  readonly changedNames: ReadonlySet<string> | null
}

/** How properties are written, and how they are stored then. */
export interface WritePlan {
  readonly write: PropertyWrite
  readonly stored: StoredSize | undefined
}

/**
 * Decides how properties are written. Of large ones only what has changed, beside their base, until that takes a quarter of the base's
 * size: then the base is written again. So a change of 50 bytes does not write 512 KiB, and reading costs little more.
 */
export const planWrite = (
  { stored, properties, bytes, changedNames }: ChangedProperties,
  minBaseBytes: number,
): WritePlan => {
  if (stored !== undefined && changedNames !== null && stored.baseBytes >= minBaseBytes) {
    const changeBytes = stored.changeBytes + rowBytes(properties, changedNames, stored.baseBytes)
    if (changeBytes <= Math.min(stored.baseBytes * MAX_CHANGE_SHARE, MAX_CHANGE_BYTES))
      return { write: changedNames, stored: { ...stored, bytes, changeBytes } }
  }
  const isLarge = bytes >= minBaseBytes
  return {
    write: stored !== undefined && stored.changeBytes > 0 ? 'folded' : 'whole',
    stored: isLarge ? { bytes, baseBytes: bytes, changeBytes: 0 } : undefined,
  }
}

/** One write for two that follow each other. */
export const joinWrites = (first: PropertyWrite | undefined, second: PropertyWrite): PropertyWrite => {
  if (first === undefined) return second
  if (first === 'folded' || second === 'folded') return 'folded'
  if (first === 'whole' || second === 'whole') return 'whole'
  return new Set([...first, ...second])
}

/** The size of rows for these properties, or a part above `maxBytes`. */
const rowBytes = (properties: JsonObject, names: ReadonlySet<string>, maxBytes: number): number => {
  let bytes = 0
  for (const name of names) {
    bytes += ROW_BYTES + NAME_WEIGHT * Buffer.byteLength(JSON.stringify(name))
    if (Object.hasOwn(properties, name)) bytes += Buffer.byteLength(JSON.stringify(properties[name]))
    if (bytes > maxBytes) break
  }
  return bytes
}
