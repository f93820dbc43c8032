/** A part of a line with its level of the Unicode Bidirectional Algorithm: odd from right to left. */
export interface Leveled {
  readonly level: number
}

/** Orders the parts of a line as they are seen. Rule L2: from the highest level to 1, reverses all sequences at that level or above. */
export const orderByLevel = <Part extends Leveled>(parts: readonly Part[]): readonly Part[] => {
  const ordered = [...parts]
  const highest = Math.max(0, ...parts.map(({ level }) => level))
  for (let level = highest; level > 0; level -= 1) {
    let start = 0
    while (start < ordered.length) {
      let end = start
      while (end < ordered.length && ordered[end]!.level >= level) end += 1
      if (end > start) ordered.splice(start, end - start, ...ordered.slice(start, end).toReversed())
      start = end + 1
    }
  }
  return ordered
}
