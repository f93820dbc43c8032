/** The events that only memory holds: those of the running turn, and all while the disk takes none. Oldest first. */
export interface Waiting {
  push(json: string): void
  size(): number
  /** Characters. */
  length(): number
  /** The oldest, at most `maxEvents` of at most `maxLength` characters together, one more for each included; a first one that is longer comes alone. */
  first(maxEvents: number, maxLength: number): string[]
  /** Takes out the oldest. */
  remove(count: number): void
  /** Takes out the one that comes after so many; undefined when there is none. */
  dropAfter(count: number): string | undefined
}

/** Below it an array is not worth the copy that frees its begin. */
const COMPACT_AT = 1024

export const createWaiting = (): Waiting => {
  let items: string[] = []
  let head = 0
  let length = 0

  const compact = (): void => {
    if (head === items.length) items = []
    else if (head >= COMPACT_AT && head * 2 >= items.length) items = items.slice(head)
    else return
    head = 0
  }

  return {
    push(json) {
      items.push(json)
      length += json.length
    },
    size: () => items.length - head,
    length: () => length,
    first(maxEvents, maxLength) {
      let end = head
      for (let sum = 0; end < items.length && end - head < maxEvents; end++) {
        sum += items[end]!.length + 1
        if (end > head && sum > maxLength) break
      }
      return items.slice(head, end)
    },
    remove(count) {
      for (const end = Math.min(head + count, items.length); head < end; head++) {
        length -= items[head]!.length
        items[head] = ''
      }
      compact()
    },
    dropAfter(count) {
      const at = head + count
      const dropped = items[at]
      if (dropped === undefined) return undefined
      // Those before move up: they are few, those behind may be many.
      for (let to = at; to > head; to--) items[to] = items[to - 1]!
      items[head++] = ''
      length -= dropped.length
      compact()
      return dropped
    },
  }
}
