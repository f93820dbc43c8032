import type { QueryResult } from '../../../../indexer/query-result.ts'
import type { SqlLines } from '../../../../insight/question/questions.ts'

/** The rows of a result as lines of JSON. */
export const toSqlLines = ({ rows, ...result }: QueryResult): SqlLines => ({
  ...result,
  lines: new TextEncoder().encode(rows.map((row) => `${JSON.stringify(row)}\n`).join('')),
})
