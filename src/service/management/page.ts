import { badRequest } from '../http-error.ts'
import type { Page, PageOf } from '../store/metadata/stored-definition.ts'

/** Default number of items on a page. */
const DEFAULT_LIMIT = 100
/** Maximum items on a page. A larger `limit` is reduced to this; the response then has the URL of the next page. */
const MAX_LIMIT = 1000

/** A list in the form of the management API. */
export interface ListBody {
  /** Number of items on all pages. */
  readonly count: number
  /** URLs of the next and the previous page; null without one. */
  readonly next: string | null
  readonly previous: string | null
  readonly results: readonly object[]
}

const parseNumber = (
  query: Readonly<Record<string, string | undefined>>,
  name: string,
  min: number,
  fallback: number,
): number => {
  const string = query[name]
  if (string === undefined || string === '') return fallback
  const value = /^\d+$/.test(string) ? Number(string) : -1
  if (value >= min && Number.isSafeInteger(value)) return value
  throw badRequest('invalid_page', `"${name}" must be an integer of ${min} or more.`, name)
}

/** Parses the query parameters `limit` (default 100, at most 1000) and `offset` (default 0). Throws `HttpError`. */
export const readPage = (query: Readonly<Record<string, string | undefined>>): Page => ({
  limit: Math.min(parseNumber(query, 'limit', 1, DEFAULT_LIMIT), MAX_LIMIT),
  offset: parseNumber(query, 'offset', 0, 0),
})

/** Creates the response body of a page. `requestUrl` is the full URL of the request. */
export const toListBody = ({ count, items }: PageOf<object>, { limit, offset }: Page, requestUrl: URL): ListBody => {
  const pageUrl = (start: number): string => {
    const url = new URL(requestUrl)
    url.searchParams.set('limit', String(limit))
    url.searchParams.set('offset', String(start))
    return url.href
  }
  return {
    count,
    next: offset + limit < count ? pageUrl(offset + limit) : null,
    previous: offset > 0 ? pageUrl(Math.max(0, offset - limit)) : null,
    results: items,
  }
}
