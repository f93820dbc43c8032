import { randomUUID } from 'node:crypto'
import type { ClickHouseClient, ClickHouseSettings } from '@clickhouse/client'
import type { QueryControl } from '../../../indexer/query-control.ts'
import { QueryError } from '../../../indexer/query-error.ts'
import type { QueryResult } from '../../../indexer/query-result.ts'
import type { AskLimits, SqlQuestion } from '../../../insight/question/questions.ts'
import { noop } from '../../../noop.ts'
import { workInChunks } from '../../../work-in-chunks.ts'
import { quoteString } from '../../../sql/quote-clickhouse.ts'
import type { ClickHouseConnection } from './connect.ts'
import type { RowReader } from './question/scan.ts'
import { readRows } from './read-rows.ts'
import { createReader } from './read-value.ts'
import { onCluster } from './schema.ts'
import { toQueryError } from './to-query-error.ts'

/** A SELECT, and what it is run with. */
export interface SelectTask extends AskLimits {
  readonly client: ClickHouseClient
  readonly sql: string
  readonly settings?: ClickHouseSettings
}

/** The form of an answer. */
interface RequestForm {
  readonly format: 'JSONCompactEachRow' | 'JSONCompactEachRowWithNamesAndTypes'
  readonly settings: ClickHouseSettings
}

/** Runs SELECTs. Both ways reject with `QueryError`. */
export interface SelectRunner {
  readonly run: (task: SelectTask & SqlQuestion, control?: QueryControl) => Promise<QueryResult>
  /** Computes something from the rows, however many there are. */
  readonly scan: <Result>(task: SelectTask, reader: RowReader<Result>, control?: QueryControl) => Promise<Result>
  /** Ends all running SELECTs, and refuses new ones. */
  readonly interrupt: () => void
  /** Resolves when the server has ended all SELECTs that were given up. */
  readonly ended: () => Promise<void>
}

/** How often a running SELECT is asked how far it is, and how long a `KILL QUERY` has before it is sent again. */
const POLL_MS = 250

/** A SELECT that was ended before the server knew it is not found at first. */
const MAX_KILLS = 20

/** Longest wait for an answer to one attempt: a server that is gone would be waited for until the request itself ends. */
const MAX_KILL_MS = 5_000

/** Writes the statement that ends a query. */
export const writeKill = (queryId: string, cluster?: string): string =>
  `KILL QUERY${onCluster({ cluster })} WHERE query_id = ${quoteString(queryId)} ASYNC`

/** @param administrator Ends SELECTs of all users. `cluster`: on whichever of its servers they run. */
export const createSelectRunner = ({
  administrator,
  cluster,
}: Pick<ClickHouseConnection, 'administrator' | 'cluster'>): SelectRunner => {
  const running = new Set<AbortController>()
  /** Those that are being ended on the server. They never reject. */
  const ending = new Set<Promise<void>>()
  let isInterrupted = false

  /** Ends a query, until its request has ended. The request is given up at last, which ends the query on servers that are well. */
  const kill = async (queryId: string, request: Promise<unknown>, abort: () => void): Promise<void> => {
    const ended = request.then(
      () => true,
      () => true,
    )
    for (let count = 0; count < MAX_KILLS; count++) {
      await administrator
        .command({ query: writeKill(queryId, cluster), abort_signal: AbortSignal.timeout(MAX_KILL_MS) })
        .catch(noop)
      if (await Promise.race([ended, wait(POLL_MS)])) return
    }
    abort()
  }

  const readProgress = async (queryId: string, report: NonNullable<QueryControl['onProgress']>): Promise<void> => {
    const query = `SELECT read_rows, total_rows_approx FROM system.processes WHERE query_id = ${quoteString(queryId)}`
    const [row] = await readRows<[string, string]>(administrator, query)
    if (row === undefined) return
    const rowsRead = Number(row[0])
    report({ rowsRead, estimatedRows: Math.max(rowsRead, Number(row[1])) })
  }

  const send = (
    { client, sql, timeoutMs, settings }: SelectTask,
    queryId: string,
    signal: AbortSignal,
    more: RequestForm,
  ) =>
    client.query({
      query: sql,
      query_id: queryId,
      abort_signal: signal,
      format: more.format,
      clickhouse_settings: {
        max_execution_time: Math.ceil(timeoutMs / 1000),
        ...more.settings,
        ...settings,
      },
    })

  /** Runs a request until it is cancelled, interrupted or out of time. */
  const run = async <Result>(
    { timeoutMs, sql }: Pick<SelectTask, 'timeoutMs' | 'sql'>,
    request: (queryId: string, signal: AbortSignal) => Promise<Result>,
    { signal, onProgress }: QueryControl,
  ): Promise<Result> => {
    if (isInterrupted) throw closing()
    if (signal?.aborted) throw cancelled()
    const queryId = randomUUID()
    const stopper = new AbortController()
    const connection = new AbortController()
    running.add(stopper)
    const result = request(queryId, connection.signal)
    const stopped = new Promise<never>((_resolve, reject) => {
      stopper.signal.addEventListener('abort', () => reject(stopper.signal.reason as Error))
    })
    const timer = setTimeout(() => stopper.abort(timedOut(timeoutMs)), timeoutMs)
    const onAbort = (): void => stopper.abort(cancelled())
    signal?.addEventListener('abort', onAbort)
    const poll =
      onProgress === undefined
        ? undefined
        : setInterval(() => void readProgress(queryId, onProgress).catch(noop), POLL_MS)
    try {
      return await Promise.race([result, stopped])
    } catch (error) {
      if (stopper.signal.aborted) {
        const killed = kill(queryId, result, () => connection.abort()).finally(() => ending.delete(killed))
        ending.add(killed)
      }
      throw toQueryError(error, sql)
    } finally {
      clearTimeout(timer)
      clearInterval(poll)
      signal?.removeEventListener('abort', onAbort)
      running.delete(stopper)
    }
  }

  return {
    run: (task, control = {}) =>
      run(
        task,
        async (queryId, signal) => {
          const answer = await send(task, queryId, signal, {
            format: 'JSONCompactEachRowWithNamesAndTypes',
            // One more row tells that there are more.
            settings: { limit: String(task.maxRows + 1), output_format_json_quote_64bit_integers: 1 },
          })
          return parseRows(await answer.text(), task.maxRows)
        },
        control,
      ),
    scan: (task, { read, end }, control = {}) =>
      run(
        task,
        async (queryId, signal) => {
          const answer = await send(task, queryId, signal, {
            format: 'JSONCompactEachRow',
            settings: { output_format_json_quote_64bit_integers: 0 },
          })
          for await (const rows of answer.stream())
            for (const row of rows) await workInChunks(read(row.json()), () => signal.throwIfAborted())
          return workInChunks(end(), () => signal.throwIfAborted())
        },
        control,
      ),
    interrupt() {
      isInterrupted = true
      for (const stopper of running) stopper.abort(closing())
    },
    async ended() {
      await Promise.all(ending)
    },
  }
}

const closing = (): QueryError => new QueryError('store_unavailable', 'The store is closing. Try the query again.')

const cancelled = (): QueryError => new QueryError('cancelled', 'The query was cancelled.')

const timedOut = (timeoutMs: number): QueryError =>
  new QueryError('timeout', `The query took longer than ${timeoutMs / 1000} s. Ask for less, or for a shorter time.`)

/** Resolves to false after a time. */
const wait = (milliseconds: number): Promise<false> =>
  new Promise((resolve) => setTimeout(() => resolve(false), milliseconds).unref())

const parseRows = (text: string, maxRows: number): QueryResult => {
  const [columns = [], types = [], ...lines] = text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as readonly unknown[])
  const readers = (types as readonly string[]).map(createReader)
  const rows = lines.slice(0, maxRows).map((row) => row.map((value, index) => readers[index]!(value)))
  return {
    columns: columns as readonly string[],
    types: types as readonly string[],
    rows,
    hasMore: lines.length > maxRows,
  }
}
