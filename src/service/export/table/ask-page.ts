import type { JsonObject } from '../../../wire/json.ts'
import type { ResultTable } from '../../../wire/result/result-table.ts'
import { QueryError } from '../../indexer/query-error.ts'

/** A part of a list. */
export interface ListPage extends ResultTable {
  readonly hasMore: boolean
}

/** Asks a query whose answer is a list. */
export type AskList = (query: JsonObject) => Promise<ListPage>

/** Asks for one page; for a smaller one as long as its rows are too large for an answer. */
export const askPage = async (ask: AskList, query: JsonObject, limit: number): Promise<ListPage> => {
  try {
    return await ask({ ...query, limit })
  } catch (error) {
    const isTooLarge = error instanceof QueryError && error.code === 'memory'
    if (!isTooLarge || limit === 1) throw error
    return askPage(ask, query, Math.ceil(limit / 4))
  }
}
