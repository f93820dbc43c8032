/** The middle value: what a noisy machine can be quoted by. */
export function median(values) {
  return percentile(values, 0.5)
}

/** The value below which the given share (0 to 1) of the values lies. */
export function percentile(values, share) {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]
}
