import type { FlagValue } from '../../wire/decide.ts'

/** Remembers which reads were reported: who read which flag, and what its value was. */
export interface CalledLog {
  /** Marks a read; false when it was marked before. Either way the reads of `who` are those that are forgotten last. */
  add(who: string, key: string, value: FlagValue | undefined): boolean
  remove(who: string, key: string, value: FlagValue | undefined): void
  clear(): void
}

/** Values by flag, in the order of their reports. */
type Reads = Map<string, (FlagValue | undefined)[]>

/**
 * Nested, so that a read which was reported before costs two look-ups and no text put together.
 *
 * @param capacity Reads remembered at most, at least one. Above it they are forgotten one by one: first those of whoever has not read for
 *   longest, the oldest of them before the others.
 */
export const createCalledLog = (capacity: number): CalledLog => {
  // A map keeps the order in which its entries came.
  const log = new Map<string, Reads>()
  let size = 0
  let last: string | undefined

  const touch = (who: string): Reads => {
    const reads = log.get(who) ?? new Map()
    if (who !== last) {
      log.delete(who)
      log.set(who, reads)
      last = who
    }
    return reads
  }
  const remove: CalledLog['remove'] = (who, key, value) => {
    const reads = log.get(who)
    const values = reads?.get(key)
    if (!reads || !values?.includes(value)) return
    size--
    values.splice(values.indexOf(value), 1)
    if (values.length === 0) reads.delete(key)
    if (reads.size > 0) return
    log.delete(who)
    if (who === last) last = undefined
  }
  const forgetOne = (): void => {
    const [who, reads] = log.entries().next().value!
    const [key, values] = reads.entries().next().value!
    remove(who, key, values[0])
  }

  return {
    add(who, key, value) {
      const reads = touch(who)
      const values = reads.get(key)
      if (values?.includes(value)) return false
      if (values) values.push(value)
      else reads.set(key, [value])
      size++
      if (size > capacity && size > 1) forgetOne()
      return true
    },
    remove,
    clear() {
      log.clear()
      size = 0
      last = undefined
    },
  }
}

/** One text for a user with these groups, whatever the order in which they were written; the user's own id where there are none. */
export const whoReads = (distinctId: string, groups: Readonly<Record<string, string>>): string => {
  const types = Object.keys(groups)
  // No id can be taken for a list then.
  if (types.length === 0 && !distinctId.startsWith('[')) return distinctId
  return JSON.stringify([distinctId, ...types.sort().map((type) => [type, groups[type]])])
}
