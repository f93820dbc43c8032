/** Numbers that are farther from the name of their row are hard to find. */
const MAX_EXTRA = 60

/**
 * Widths of columns that share a room: each what it wants and a little more, if all fit. Else the widest ones are cut to the same width, but not below a
 * minimum.
 */
export const shareWidth = (wanted: readonly number[], room: number, minimum: number): readonly number[] => {
  const sum = wanted.reduce((total, each) => total + each, 0)
  if (sum <= room) {
    const extra = Math.min(MAX_EXTRA, (room - sum) / wanted.length)
    return wanted.map((each) => each + extra)
  }
  let left = room
  let limit = 0
  for (const [index, each] of wanted.toSorted((a, b) => a - b).entries()) {
    limit = left / (wanted.length - index)
    if (each > limit) break
    left -= each
  }
  const cut = Math.max(minimum, limit)
  return wanted.map((each) => Math.min(each, cut))
}
