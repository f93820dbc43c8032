/**
 * Widths of columns that share a room: each what it wants, if all fit. Else the widest ones are cut to the same width, but not below a
 * minimum.
 */
export const shareWidth = (wanted: readonly number[], room: number, minimum: number): readonly number[] => {
  const sum = wanted.reduce((total, each) => total + each, 0)
  if (sum <= room) {
    // What is left is for all, so that the table is as wide as its room.
    const extra = (room - sum) / wanted.length
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
