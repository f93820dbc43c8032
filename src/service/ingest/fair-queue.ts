/** A line of items, each of a sender. No sender waits longer because another one sends more. */
export interface FairQueue<Item> {
  /** Puts an item behind the others of its sender. Answers the one that has to leave for it, or null while there is room. */
  add(sender: string, item: Item): Item | null
  /** Takes the first item of the sender whose turn it is; undefined when there is none. */
  next(): Item | undefined
  /** Takes an item out, where it still waits; answers whether it did. */
  remove(sender: string, item: Item): boolean
  /** Takes all out. */
  clear(): Item[]
  length(): number
}

/** @param most Items that may wait. Beyond, the sender of most of them loses its last one. */
export const createFairQueue = <Item>(most: number): FairQueue<Item> => {
  // In the order of turns: who was served goes to the end.
  const lines = new Map<string, Item[]>()
  let length = 0

  const take = (sender: string, line: Item[], place: number): Item | undefined => {
    const [item] = line.splice(place, 1)
    if (line.length === 0) lines.delete(sender)
    length -= 1
    return item
  }

  const dropLast = (): Item | null => {
    let longest: [string, Item[]] | null = null
    for (const entry of lines) if (longest === null || entry[1].length >= longest[1].length) longest = entry
    return longest === null ? null : (take(longest[0], longest[1], longest[1].length - 1) ?? null)
  }

  return {
    add(sender, item) {
      const line = lines.get(sender)
      if (line === undefined) lines.set(sender, [item])
      else line.push(item)
      length += 1
      return length > most ? dropLast() : null
    },
    next() {
      for (const [sender, line] of lines) {
        const item = take(sender, line, 0)
        if (line.length > 0) {
          lines.delete(sender)
          lines.set(sender, line)
        }
        return item
      }
      return undefined
    },
    remove(sender, item) {
      const line = lines.get(sender)
      const place = line?.indexOf(item) ?? -1
      if (line === undefined || place < 0) return false
      take(sender, line, place)
      return true
    },
    clear() {
      const items = [...lines.values()].flat()
      lines.clear()
      length = 0
      return items
    },
    length: () => length,
  }
}
