import type { DuckDBConnection } from '@duckdb/node-api'
import type { QueryControl } from '../../../../indexer/query-control.ts'
import type { QueryResult } from '../../../../indexer/query-result.ts'
import type { AskLimits, SqlQuestion } from '../../../../insight/question/questions.ts'
import { QueryError } from '../../../../indexer/query-error.ts'
import { streamChunks } from '../stream-chunks.ts'
import { guardSelect } from './guard-select.ts'
import type { MemoryGuard } from './memory-guard.ts'
import { lazyFormOf, readLazyValue, typeOfLazy } from './lazy-column.ts'
import type { PreparedSelect, SelectOptions } from './prepare-select.ts'
import { resolveLazyValues } from './resolve-lazy-values.ts'
import { toJsonValue } from './to-json-value.ts'
import { beginRead } from '../transaction.ts'

/** Maximum size of a result as JSON (32 MiB), so that one query cannot use up the memory of the process. */
const MAX_RESULT_BYTES = 32 * 1024 * 1024

/** Runs one SELECT as `guardSelect` does, and returns its rows as JSON values. */
export const runQuery = (
  connection: DuckDBConnection,
  question: SqlQuestion & SelectOptions & AskLimits,
  control: QueryControl,
  memory: MemoryGuard,
): Promise<QueryResult> =>
  guardSelect(connection, question, control, memory, (prepared, isOver) =>
    readRows(connection, prepared, { maxRows: question.maxRows, isOver }),
  )

interface ReadLimits {
  readonly maxRows: number
  /** Whether the query must stop. */
  readonly isOver: () => boolean
}

const readRows = async (
  connection: DuckDBConnection,
  { statement, columns, propertyColumns }: PreparedSelect,
  { maxRows, isOver }: ReadLimits,
): Promise<QueryResult> => {
  const result = await statement.stream()
  const types = result.columnTypes()
  const forms = types.map(lazyFormOf)
  const rows: unknown[][] = []
  let bytes = 0
  const addBytes = (value: unknown): void => {
    bytes += JSON.stringify(value).length
    if (bytes > MAX_RESULT_BYTES)
      throw new QueryError(
        'memory',
        `The result is larger than ${MAX_RESULT_BYTES} bytes. Select fewer rows or columns.`,
      )
  }
  let hasMore = false
  for await (const chunk of streamChunks(connection, result)) {
    if (isOver()) throw new Error('The query is over.')
    const vectors = types.map((_, index) => chunk.getColumnVector(index))
    for (let rowIndex = 0; rowIndex < chunk.rowCount; rowIndex++) {
      if (rows.length === maxRows) {
        hasMore = true
        break
      }
      // Row by row, so that a chunk of long values is not in memory a second time.
      const row = vectors.map((vector, index) => toJsonValue(readLazyValue(vector.getItem(rowIndex), forms[index]!)))
      addBytes(row)
      rows.push(row)
    }
    if (hasMore) break
  }
  if (hasMore) await renewTransaction(connection)
  if (propertyColumns !== undefined) await resolveLazyValues(connection, rows, forms, propertyColumns, addBytes)
  return {
    columns,
    // JSON is a VARCHAR with an alias.
    types: types.map((type, index) => typeOfLazy(forms[index]!) ?? type.alias ?? String(type)),
    rows,
    hasMore,
  }
}

/** Replaces the transaction that ended with a stream. Ids keep their numbers, and events their rows, so these still mean the same. */
const renewTransaction = async (connection: DuckDBConnection): Promise<void> => {
  await connection.run('ROLLBACK')
  await beginRead(connection)
}
