import type { JsonObject } from '../../../wire/json.ts'
import { unwrapQuery } from '../../insight/query/unwrap-query.ts'
import type { Answer } from './answer-table.ts'
import { toAnswerTable } from './answer-table.ts'
import { readEventPages } from './event-pages.ts'
import type { ListPage } from './list-pages.ts'
import { readListPages } from './list-pages.ts'
import type { Table } from './table.ts'

/** Asks a query. Rejects with `QueryError` or `HttpError`. */
export type AskQuery = (query: JsonObject) => Promise<Answer>

/** The answer to a query as a table. The whole of a list is read, page by page. Rejects as `ask` does, also while rows are read. */
export const readQueryTable = async (title: string | null, query: JsonObject, ask: AskQuery): Promise<Table> => {
  const asked = unwrapQuery(query)
  const askList = async (page: JsonObject): Promise<ListPage> => (await ask(page)) as ListPage
  if (asked['kind'] === 'EventsQuery' && isNewestFirst(asked)) return toTable(title, readEventPages(asked, askList))
  if (asked['kind'] === 'EventsQuery' || asked['kind'] === 'ActorsQuery')
    return toTable(title, readListPages(asked, askList))
  const { columns, results } = toAnswerTable(asked, await ask(asked))
  return { title, columns, rows: results }
}

const isNewestFirst = ({ orderBy, offset }: JsonObject): boolean => {
  const [first, ...others] = Array.isArray(orderBy) ? orderBy : []
  const isByTime = first === undefined || (typeof first === 'string' && /^\s*timestamp\s+desc\s*$/i.test(first))
  return isByTime && others.length === 0 && !offset
}

const toTable = async (title: string | null, pages: AsyncGenerator<ListPage, void>): Promise<Table> => {
  const { value: first } = await pages.next()
  const rows = async function* (): AsyncGenerator<readonly unknown[]> {
    if (first) yield* first.results
    for await (const { results } of pages) yield* results
  }
  return { title, columns: first?.columns ?? [], rows: rows() }
}
