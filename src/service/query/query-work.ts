import type { Ask } from '../insight/question/questions.ts'

/** What a query does in its slot. */
export interface QueryWork<Answer extends object = object> {
  /** What is asked: work with the same text has the same answer, as long as the events are the same. */
  readonly text: string
  /** Answers it with the fields of a response. Throws `FilterError`; rejects with `QueryError`. */
  readonly answer: (ask: Ask) => Promise<Answer>
}

/** The rows of a SELECT, as clients read them. */
export interface SqlAnswer {
  readonly columns: readonly string[]
  readonly types: readonly string[]
  readonly results: readonly (readonly unknown[])[]
  readonly hasMore: boolean
}

/** @param maxRows Rows of the answer. */
export const createSqlWork = (sql: string, maxRows: number): QueryWork<SqlAnswer> => ({
  text: sql,
  async answer(ask) {
    const { columns, types, rows, hasMore } = await ask('query', { sql, maxRows })
    return { columns, types, results: rows, hasMore }
  },
})
