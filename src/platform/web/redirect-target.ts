import { withoutSlash } from '../../lib/without-slash.ts'

/**
 * Where a redirected request is sent again, unchanged; undefined when it must not be. The target must be on the same origin, because the
 * body and the keys in the headers are for this server only. A status other than 307 and 308 allows only another form of the same path: it
 * asks for a GET, and usually leads to a login page.
 *
 * Without `URL`, which some engines for apps lack.
 */
export const redirectTarget = (url: string, status: number, location: string | null): string | undefined => {
  const origin = url.split('/', 3).join('/')
  const target = location && /^\/(?!\/)/.test(location) ? origin + location : location
  if (!target?.startsWith(`${origin}/`) || target === url) return undefined
  return status === 307 || status === 308 || withoutSlash(target) === withoutSlash(url) ? target : undefined
}
