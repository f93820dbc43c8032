/**
 * Creates a function that formats milliseconds since 1970 like `Date.toISOString`. It caches the part that times of one second share.
 * `toISOString` would take a quarter of the time of an event-loop turn's first capture, when processor caches are cold.
 */
export const createIsoFormatter = (): ((timeMs: number) => string) => {
  let lastTimeMs = NaN
  let lastSecond = NaN
  let prefix = ''
  let iso = ''
  return (timeMs) => {
    if (timeMs !== lastTimeMs) {
      const second = Math.floor(timeMs / 1_000)
      if (second !== lastSecond) prefix = new Date(second * 1_000).toISOString().slice(0, -4)
      iso = `${prefix}${String(1_000 + Math.floor(timeMs - second * 1_000)).slice(1)}Z`
      lastTimeMs = timeMs
      lastSecond = second
    }
    return iso
  }
}
