import type { FlagValue } from '../../wire/decide.ts'

/** Remembers which reads were reported. */
export interface CalledLog {
  /** Marks a read; false when it was marked before, which makes it the one that is forgotten last. */
  add(read: string): boolean
  remove(read: string): void
  clear(): void
}

/** @param capacity Reads remembered at most, at least one; above it those not seen for longest are forgotten, one by one. */
export const createCalledLog = (capacity: number): CalledLog => {
  // A set keeps the order in which its members came.
  const reads = new Set<string>()
  return {
    add(read) {
      const isNew = !reads.delete(read)
      reads.add(read)
      if (reads.size > capacity && reads.size > 1) reads.delete(reads.values().next().value!)
      return isNew
    },
    remove: (read) => void reads.delete(read),
    clear: () => reads.clear(),
  }
}

/** One text for each user, flag, value and groups, whatever the order in which these were written. */
export const readOf = (
  distinctId: string,
  key: string,
  value: FlagValue | undefined,
  groups: Readonly<Record<string, string>>,
): string => {
  const types = Object.keys(groups)
  const grouped = types.length ? JSON.stringify(types.sort().map((type) => [type, groups[type]])) : ''
  // A variant may be called "true"; lengths keep apart what ids and keys hold.
  const said = typeof value === 'string' ? `=${value}` : String(value)
  return `${distinctId.length},${key.length},${said.length},${distinctId}${key}${said}${grouped}`
}
