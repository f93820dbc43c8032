import type { ListBody, UncountedListBody } from '../schema/list-of.ts'
import type { Page, PageOf } from '../store/metadata/page.ts'

/** Default number of items on a page. */
const DEFAULT_LIMIT = 100
/** Maximum items on a page. A larger `limit` is reduced to this; the response then has the URL of the next page. */
const MAX_LIMIT = 1000

/** The query parameters of a list; `schema/list-of.ts` has their schema. */
export interface PageQuery {
  readonly limit?: number | undefined
  readonly offset?: number | undefined
}

/** The page that the query parameters `limit` (default 100, at most 1000) and `offset` (default 0) select. */
export const readPage = ({ limit = DEFAULT_LIMIT, offset = 0 }: PageQuery): Page => ({
  limit: Math.min(limit, MAX_LIMIT),
  offset,
})

const toPageUrl = (requestUrl: URL, { limit, offset }: Page): string => {
  const url = new URL(requestUrl)
  url.searchParams.set('limit', String(limit))
  url.searchParams.set('offset', String(offset))
  return url.href
}

/** Items, and whether there are more after them. */
interface UncountedPage<Item> {
  readonly items: readonly Item[]
  readonly hasMore: boolean
}

/** Creates the response body of a page of items that are not counted. `requestUrl` is the full URL of the request. */
export const toUncountedListBody = <Item>(
  { items, hasMore }: UncountedPage<Item>,
  { limit, offset }: Page,
  requestUrl: URL,
): UncountedListBody<Item> => ({
  next: hasMore ? toPageUrl(requestUrl, { limit, offset: offset + limit }) : null,
  previous: offset > 0 ? toPageUrl(requestUrl, { limit, offset: Math.max(0, offset - limit) }) : null,
  results: items,
})

/** Creates the response body of a page that is only read forwards. `next` is the URL of the next page, null without one. */
export const toForwardListBody = <Item>(items: readonly Item[], next: string | null): UncountedListBody<Item> => ({
  next,
  previous: null,
  results: items,
})

/** Creates the response body of a page. `requestUrl` is the full URL of the request. */
export const toListBody = <Item>({ count, items }: PageOf<Item>, page: Page, requestUrl: URL): ListBody<Item> => ({
  count,
  ...toUncountedListBody({ items, hasMore: page.offset + page.limit < count }, page, requestUrl),
})
