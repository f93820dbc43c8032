import type { JsonObject } from '../../../wire/json.ts'
import type { AskList, ListPage } from './ask-page.ts'
import { askPage } from './ask-page.ts'

/** Rows that are read at once. */
const PAGE_SIZE = 2000

/**
 * Reads the answer to a query with `limit` and `offset` in pages; there is always one.
 *
 * @param query Its `limit` is that of all pages together; default: none.
 */
export const readListPages = async function* (
  { limit, offset, ...query }: JsonObject,
  ask: AskList,
): AsyncGenerator<ListPage, void> {
  let remaining = typeof limit === 'number' ? limit : Infinity
  let start = typeof offset === 'number' ? offset : 0
  while (remaining > 0) {
    const page = await askPage(ask, { ...query, offset: start }, Math.min(PAGE_SIZE, remaining))
    yield page
    if (!page.hasMore) return
    start += page.results.length
    remaining -= page.results.length
  }
}
