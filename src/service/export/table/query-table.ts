import type { JsonObject } from '../../../wire/json.ts'
import { unwrapQuery } from '../../insight/query/unwrap-query.ts'
import type { Answer } from './answer-table.ts'
import { toAnswerTable } from './answer-table.ts'
import type { ListPage } from './ask-page.ts'
import { readEventPages } from './event-pages.ts'
import { readListPages } from './list-pages.ts'
import { readLines } from './read-lines.ts'
import type { Table } from './table.ts'

/** Asks a query. Rejects with `QueryError` or `HttpError`. */
export type AskQuery = (query: JsonObject) => Promise<Answer>

/** What an event is in columns; the column `*` of a query is one object. */
const EVENT_COLUMNS = ['uuid', 'event', 'timestamp', 'distinct_id', 'created_at', 'properties']

/** The answer to a query as a table. The whole of a list is read, page by page. Rejects as `ask` does, also while rows are read. */
export const readQueryTable = async (title: string | null, query: JsonObject, ask: AskQuery): Promise<Table> => {
  const asked = unwrapQuery(query)
  const askList = async (page: JsonObject): Promise<ListPage> => (await ask(page)) as ListPage
  if (asked['kind'] === 'ActorsQuery') return toTable(title, readListPages(asked, askList))
  if (asked['kind'] === 'EventsQuery') {
    const events = { ...asked, select: expandColumns(asked['select'] as readonly string[]) }
    return toTable(title, isNewestFirst(asked) ? readEventPages(events, askList) : readListPages(events, askList))
  }
  const answer = await ask(asked)
  if ('lines' in answer) return { title, columns: answer.columns, rows: readLines(answer.lines) }
  const { columns, results } = toAnswerTable(asked, answer)
  return { title, columns, rows: results }
}

const expandColumns = (names: readonly string[]): string[] =>
  names.flatMap((name) => (name === '*' ? EVENT_COLUMNS : [name]))

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
