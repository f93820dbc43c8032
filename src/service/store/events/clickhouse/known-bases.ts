/** Most bases that are remembered: some MB. */
const MAX_BASES = 20_000

/**
 * The bases (`planWrite`) that this process itself has written to ClickHouse, or is about to. Only on these it may write changes: another node
 * may have died after it changed the metadata and before it wrote to ClickHouse, and a change alone would not heal that.
 */
export interface KnownBases {
  /** @param bytes The size of the base in the metadata: that of another node is hardly ever as large. */
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

/** @param maxCount Of those that are written. Default: 20,000. */
export const createKnownBases = (maxCount: number = MAX_BASES): KnownBases => {
  const added = new Map<string, number>()
  const taken = new Map<string, number>()
  /** Those that were used last are at the end. */
  const written = new Map<string, number>()
  const remember = (key: string, bytes: number): void => {
    written.delete(key)
    written.set(key, bytes)
    if (written.size > maxCount) written.delete(written.keys().next().value!)
  }
  return {
    has(key, bytes) {
      const known = added.get(key) ?? taken.get(key) ?? written.get(key)
      if (known === undefined || known !== bytes) return false
      if (written.has(key)) remember(key, written.get(key)!)
      return true
    },
    add: (key, bytes) => void added.set(key, bytes),
    forget(key) {
      for (const bases of [added, taken, written]) bases.delete(key)
    },
    onTake() {
      for (const [key, bytes] of added) taken.set(key, bytes)
      added.clear()
    },
    onWritten() {
      for (const [key, bytes] of taken) remember(key, bytes)
      taken.clear()
    },
    discard() {
      for (const bases of [added, taken]) {
        for (const key of bases.keys()) written.delete(key)
        bases.clear()
      }
    },
    clear() {
      for (const bases of [added, taken, written]) bases.clear()
    },
  }
}
