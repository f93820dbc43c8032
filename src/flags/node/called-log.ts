import type { FlagValue } from '../../wire/decide.ts'

/** Remembers which reads of flags were reported. A read has a reader (the key of a user with groups), a flag key and a value. */
export interface CalledLog {
  /** Adds a read; returns false if the log already has it. In both cases the reader becomes the most recently active one. */
  add(reader: string, key: string, value: FlagValue | undefined): boolean
  remove(reader: string, key: string, value: FlagValue | undefined): void
  clear(): void
}

/** Reported values by flag key, oldest first. */
type Reads = Map<string, (FlagValue | undefined)[]>

/**
 * Creates an empty log. Its maps are nested, so that finding a read takes two look-ups and builds no string.
 *
 * @param capacity Maximum reads in the log, at least 1. Beyond it the log evicts one read at a time: the oldest one of the least recently
 *   active reader.
 */
export const createCalledLog = (capacity: number): CalledLog => {
  // A map keeps insertion order: its first entry is the least recently active reader.
  const log = new Map<string, Reads>()
  let size = 0
  let lastReader: string | undefined

  const touch = (reader: string): Reads => {
    const reads = log.get(reader) ?? new Map()
    if (reader !== lastReader) {
      log.delete(reader)
      log.set(reader, reads)
      lastReader = reader
    }
    return reads
  }
  const remove: CalledLog['remove'] = (reader, key, value) => {
    const reads = log.get(reader)
    const values = reads?.get(key)
    if (!reads || !values?.includes(value)) return
    size--
    values.splice(values.indexOf(value), 1)
    if (values.length === 0) reads.delete(key)
    if (reads.size > 0) return
    log.delete(reader)
    if (reader === lastReader) lastReader = undefined
  }
  const evictOldest = (): void => {
    const [reader, reads] = log.entries().next().value!
    const [key, values] = reads.entries().next().value!
    remove(reader, key, values[0])
  }

  return {
    add(reader, key, value) {
      const reads = touch(reader)
      const values = reads.get(key)
      if (values?.includes(value)) return false
      if (values) values.push(value)
      else reads.set(key, [value])
      size++
      if (size > capacity && size > 1) evictOldest()
      return true
    },
    remove,
    clear() {
      log.clear()
      size = 0
      lastReader = undefined
    },
  }
}

/** Returns the key of a user with these groups, in any order. Without groups it is usually the distinct id itself. */
export const readerKey = (distinctId: string, groups: Readonly<Record<string, string>>): string => {
  const types = Object.keys(groups)
  // An id that starts with a bracket could equal the JSON of a list.
  if (types.length === 0 && !distinctId.startsWith('[')) return distinctId
  return JSON.stringify([distinctId, ...types.sort().map((type) => [type, groups[type]])])
}
