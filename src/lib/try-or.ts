/** The result of `work`, or `fallback` (default undefined) if it throws, as browser APIs do that are missing or blocked. */
export const tryOr = <T, F = undefined>(work: () => T, fallback?: F): T | F => {
  try {
    return work()
  } catch {
    return fallback as F
  }
}
