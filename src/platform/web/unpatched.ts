/**
 * A timer function of the platform. zone.js replaces the global ones, so that Angular waits for every timer before an app is stable, and checks
 * the app after each: it keeps the original under this name. Looked up at each call, as a page or a test may replace it.
 */
export const unpatched = <Name extends 'setTimeout' | 'clearTimeout' | 'setInterval' | 'clearInterval'>(
  name: Name,
): (typeof globalThis)[Name] => {
  const scope = globalThis as unknown as Record<string, (typeof globalThis)[Name]>
  return scope[`__zone_symbol__${name}`] ?? scope[name]!
}
