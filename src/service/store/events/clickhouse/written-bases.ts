import { noop } from '../../../noop.ts'

/** Most bases that are remembered: about 10 MB. */
const MAX_BASES = 100_000

/**
 * The bases (`planWrite`) that this process has written to ClickHouse, of all projects. Where several nodes change the metadata, it may write
 * changes only beside these: another node may have died after it changed the metadata and before it wrote a base to ClickHouse, and changes
 * alone would not heal that. A change that such a node did not write is missing until the base is written again.
 */
export interface WrittenBases {
  /** @param bytes The size of the base in the metadata: that of another node is hardly ever as large. */
  readonly has: (key: string, bytes: number) => boolean
  readonly add: (key: string, bytes: number) => void
  readonly delete: (key: string) => void
  /** Deletes those whose keys begin so. */
  readonly deleteAll: (prefix: string) => void
}

/** @param maxCount Default: 100,000. */
export const createWrittenBases = (maxCount: number = MAX_BASES): WrittenBases => {
  /** Those that were used last are at the end. */
  const sizes = new Map<string, number>()
  const add = (key: string, bytes: number): void => {
    sizes.delete(key)
    sizes.set(key, bytes)
    if (sizes.size > maxCount) sizes.delete(sizes.keys().next().value!)
  }
  return {
    has(key, bytes) {
      if (sizes.get(key) !== bytes) return false
      add(key, bytes)
      return true
    },
    add,
    delete: (key) => void sizes.delete(key),
    deleteAll(prefix) {
      for (const key of sizes.keys()) if (key.startsWith(prefix)) sizes.delete(key)
    },
  }
}

/** The bases of a project's persons or groups, with those that are about to be written. */
export interface PendingBases {
  /** @param bytes As for `WrittenBases`; undefined for properties without a base. */
  readonly has: (key: string, bytes: number | undefined) => boolean
  /** Adds a base that is written with the next rows. */
  readonly add: (key: string, bytes: number) => void
  readonly forget: (key: string) => void
  /** What was added is being written. */
  readonly onTake: () => void
  /** What was taken is written. */
  readonly onWritten: () => void
  /** Forgets those that were added and are not written, and what was there before of the same owners. */
  readonly discard: () => void
  readonly clear: () => void
}

/** @param prefix of the keys in `written`. */
export const createPendingBases = (written: WrittenBases, prefix: string): PendingBases => {
  const added = new Map<string, number>()
  const taken = new Map<string, number>()
  const keyOf = (key: string): string => prefix + key
  return {
    has(key, bytes) {
      if (bytes === undefined) return false
      const pending = added.get(key) ?? taken.get(key)
      return pending === undefined ? written.has(keyOf(key), bytes) : pending === bytes
    },
    add: (key, bytes) => void added.set(key, bytes),
    forget(key) {
      for (const bases of [added, taken]) bases.delete(key)
      written.delete(keyOf(key))
    },
    onTake() {
      for (const [key, bytes] of added) taken.set(key, bytes)
      added.clear()
    },
    onWritten() {
      for (const [key, bytes] of taken) written.add(keyOf(key), bytes)
      taken.clear()
    },
    discard() {
      for (const bases of [added, taken]) {
        for (const key of bases.keys()) written.delete(keyOf(key))
        bases.clear()
      }
    },
    clear() {
      for (const bases of [added, taken]) bases.clear()
      written.deleteAll(prefix)
    },
  }
}

/** Where one node changes the metadata: it has written every base, or will do so when it reads its inbox again. */
export const ALL_WRITTEN: WrittenBases = {
  has: () => true,
  add: noop,
  delete: noop,
  deleteAll: noop,
}
