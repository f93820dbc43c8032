import { invalid } from '../refusal.ts'
import type { Page, PageOf } from '../store/metadata/stored-definition.ts'

/** Items on a page when nobody says how many. */
const DEFAULT_LIMIT = 100
/** Most items on a page; who asks for more gets this many, and the address of the next page. */
const MOST = 1000

/** A list as the management API answers it. */
export interface ListBody {
  /** How many there are on all pages. */
  readonly count: number
  /** Addresses of the pages beside this one. */
  readonly next: string | null
  readonly previous: string | null
  readonly results: readonly object[]
}

const numberIn = (
  query: Readonly<Record<string, string | undefined>>,
  name: string,
  least: number,
  otherwise: number,
): number => {
  const text = query[name]
  if (text === undefined || text === '') return otherwise
  const value = /^\d+$/.test(text) ? Number(text) : -1
  if (value >= least && Number.isSafeInteger(value)) return value
  throw invalid('invalid_page', `"${name}" must be a whole number from ${least}.`, name)
}

/** The page that query parameters ask for: `limit` (default 100, most 1000) and `offset` (default 0). Throws `Refusal`. */
export const readPage = (query: Readonly<Record<string, string | undefined>>): Page => ({
  limit: Math.min(numberIn(query, 'limit', 1, DEFAULT_LIMIT), MOST),
  offset: numberIn(query, 'offset', 0, 0),
})

/** A page as it is answered. `address` is that of the request. */
export const listBody = ({ count, items }: PageOf<object>, { limit, offset }: Page, address: URL): ListBody => {
  const at = (place: number): string => {
    const url = new URL(address)
    url.searchParams.set('limit', String(limit))
    url.searchParams.set('offset', String(place))
    return url.href
  }
  return {
    count,
    next: offset + limit < count ? at(offset + limit) : null,
    previous: offset > 0 ? at(Math.max(0, offset - limit)) : null,
    results: items,
  }
}
