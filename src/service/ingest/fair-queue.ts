/** A queue that serves its senders in turn: one sender does not wait longer because another sends more. */
export interface FairQueue<Item> {
  /** Adds an item behind the others of its sender. Returns the item that is removed to make room, or null. */
  add(sender: string, item: Item): Item | null
  /** Removes and returns the first item of the next sender; undefined when the queue is empty. */
  next(): Item | undefined
  /** Removes an item; returns whether it was still queued. */
  remove(sender: string, item: Item): boolean
  /** Removes and returns all items. */
  clear(): Item[]
  length(): number
}

/** @param maxItems The queue's capacity. When it is full, the sender with the most items loses its last one. */
export const createFairQueue = <Item>(maxItems: number): FairQueue<Item> => {
  // The next sender to serve comes first; a served sender moves to the end.
  const queues = new Map<string, Item[]>()
  let length = 0

  const removeAt = (sender: string, queue: Item[], index: number): Item | undefined => {
    const [item] = queue.splice(index, 1)
    if (queue.length === 0) queues.delete(sender)
    length -= 1
    return item
  }

  const dropLast = (): Item | null => {
    let longestEntry: [sender: string, queue: Item[]] | null = null
    for (const entry of queues)
      if (longestEntry === null || entry[1].length >= longestEntry[1].length) longestEntry = entry
    if (longestEntry === null) return null
    const [sender, queue] = longestEntry
    return removeAt(sender, queue, queue.length - 1) ?? null
  }

  return {
    add(sender, item) {
      const queue = queues.get(sender)
      if (queue === undefined) queues.set(sender, [item])
      else queue.push(item)
      length += 1
      return length > maxItems ? dropLast() : null
    },
    next() {
      for (const [sender, queue] of queues) {
        const item = removeAt(sender, queue, 0)
        if (queue.length > 0) {
          queues.delete(sender)
          queues.set(sender, queue)
        }
        return item
      }
      return undefined
    },
    remove(sender, item) {
      const queue = queues.get(sender)
      const index = queue?.indexOf(item) ?? -1
      if (queue === undefined || index < 0) return false
      removeAt(sender, queue, index)
      return true
    },
    clear() {
      const items = [...queues.values()].flat()
      queues.clear()
      length = 0
      return items
    },
    length: () => length,
  }
}
