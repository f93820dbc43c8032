import type { SelectQueryBuilder } from 'kysely'

/** Selects a page of a list: at most `limit` items after the first `offset` items. */
export interface Page {
  readonly limit: number
  readonly offset: number
}

/** The items of a page; `count` is the number of items on all pages. */
export interface PageOf<Item> {
  readonly count: number
  readonly items: readonly Item[]
}

/** The number of rows that a query selects. */
export const countRows = async <Tables, Table extends keyof Tables, Row>(
  rows: SelectQueryBuilder<Tables, Table, Row>,
): Promise<number> => {
  const counted = rows.clearSelect().clearOrderBy()
  const row = await counted.select(({ fn }) => fn.countAll().as('count')).executeTakeFirstOrThrow()
  return Number((row as { readonly count: number | string | bigint }).count)
}

/** Loads a page of the rows that a query selects and orders, and counts them all. */
export const loadPage = async <Tables, Table extends keyof Tables, Row, Item>(
  rows: SelectQueryBuilder<Tables, Table, Row>,
  { limit, offset }: Page,
  parseRow: (row: Row) => Item,
): Promise<PageOf<Item>> => {
  const count = await countRows(rows)
  const page = await rows.limit(limit).offset(offset).execute()
  return { count, items: page.map((row) => parseRow(row as Row)) }
}
