/** A sorted set of keys in memory: the storage of an app cannot list a range of its keys. */
export interface KeyIndex {
  has(key: string): boolean
  add(key: string): void
  delete(key: string): void
  /** Keys with `from <= key < to`, in order, at most `limit`. */
  range(from: string, to: string, limit?: number): string[]
}

export const createKeyIndex = (keys: readonly string[]): KeyIndex => {
  const sorted = [...new Set(keys)].sort()

  /** Position of the first key that is not before `key`. */
  const positionOf = (key: string): number => {
    let low = 0
    let high = sorted.length
    while (low < high) {
      const middle = (low + high) >> 1
      if (sorted[middle]! < key) low = middle + 1
      else high = middle
    }
    return low
  }

  return {
    has: (key) => sorted[positionOf(key)] === key,
    add(key) {
      const position = positionOf(key)
      if (sorted[position] !== key) sorted.splice(position, 0, key)
    },
    delete(key) {
      const position = positionOf(key)
      if (sorted[position] === key) sorted.splice(position, 1)
    },
    range(from, to, limit = Infinity) {
      const start = positionOf(from)
      return sorted.slice(start, Math.min(positionOf(to), start + limit))
    },
  }
}
