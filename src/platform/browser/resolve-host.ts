/**
 * Puts the page's origin before a host that is a path. A request would resolve the path against the `<base>` of the page, which may be on
 * another server.
 */
export const resolveHost = (host: string): string =>
  // The origin of a page that has none, as in a sandbox, is the string `null`.
  host.startsWith('/') ? (globalThis.location?.origin ?? '').replace(/^null$/, '') + host : host
