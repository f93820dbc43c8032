/**
 * Whether this `fetch` stores responses in server components, also of POST, until the next build: that of Next.js 13 and 14 does, unless a
 * request says `no-store`. Later versions store none, and `no-store` would make their static pages dynamic. A wrapper may be around either.
 *
 * @param platformFetch The runtime's own `fetch`, where one that has replaced it may store. Default: only a marked one is known to.
 */
export const storesResponses = (used: typeof fetch, platformFetch: typeof fetch = used): boolean =>
  !(Symbol.for('next-patch') in globalThis) && ('__nextPatched' in used || used !== platformFetch)
