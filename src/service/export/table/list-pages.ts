import type { JsonObject } from '../../../wire/json.ts'
import type { ResultTable } from '../../../wire/result/result-table.ts'

/** A part of a list. */
export interface ListPage extends ResultTable {
  readonly hasMore: boolean
}

/** Asks a query whose answer is a list. */
export type AskList = (query: JsonObject) => Promise<ListPage>

/** Rows that are read at once. */
const PAGE_SIZE = 10_000

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
    const page = await ask({ ...query, offset: start, limit: Math.min(PAGE_SIZE, remaining) })
    yield page
    if (!page.hasMore) return
    start += page.results.length
    remaining -= page.results.length
  }
}
