import { randomUUID } from 'node:crypto'
import type { JsonObject } from '../../wire/json.ts'
import { HttpError } from '../http-error.ts'
import { QueryError } from '../indexer/query-error.ts'
import { isYoung } from '../insight/cache/is-young.ts'
import { createCachedAnswerFinder } from '../insight/insight-work.ts'
import type { FindCachedAnswer, InsightAnswer } from '../insight/insight-work.ts'
import type { Queries } from '../query/queries.ts'
import type { QueryWork, SqlAnswer } from '../query/query-work.ts'
import type { QueryWorkOptions } from './create-query-work.ts'
import { createQueryWork } from './create-query-work.ts'
import type { ParsedQuery } from './parse-query-body.ts'
import { parseQuery } from './parse-query-body.ts'
import { toQueryHttpError } from './query-http-error.ts'
import type { QueryStatusBody } from './query-status-body.ts'
import { toQueryStatusBody, toRefusedStatusBody } from './query-status-body.ts'

/** The fields of an insight that tell the answer to its query. */
export interface AnswerFields {
  readonly result: unknown
  readonly columns: string[] | null
  readonly types: string[] | null
  readonly hasMore: boolean | null
  readonly is_cached: boolean
  readonly query_status: QueryStatusBody | null
  readonly timezone: string | null
  readonly last_refresh: string | null
  readonly cache_target_age: string | null
  readonly next_allowed_client_refresh: string | null
  readonly warnings?: string[]
}

const NO_ANSWER: AnswerFields = {
  result: null,
  columns: null,
  types: null,
  hasMore: null,
  is_cached: false,
  query_status: null,
  timezone: null,
  last_refresh: null,
  cache_target_age: null,
  next_allowed_client_refresh: null,
}

/** What a request does for an answer: takes the last one, computes one unless it holds, or starts a job that does. */
type AnswerMode = 'last' | 'compute' | 'start'

/** By the value of `refresh`; see `Refresh`. */
const MODES: Readonly<Record<string, { readonly mode: AnswerMode; readonly isForced: boolean }>> = {
  force_cache: { mode: 'last', isForced: false },
  false: { mode: 'last', isForced: false },
  blocking: { mode: 'compute', isForced: false },
  true: { mode: 'compute', isForced: false },
  async_except_on_cache_miss: { mode: 'compute', isForced: false },
  force_blocking: { mode: 'compute', isForced: true },
  async: { mode: 'start', isForced: false },
  lazy_async: { mode: 'start', isForced: false },
  force_async: { mode: 'start', isForced: true },
}

/** What a request wants. */
export interface AnswerRequest {
  readonly projectId: number
  /** The parameter `refresh`. Default: `force_cache`. */
  readonly refresh?: string | undefined
  /** Ends queries when it is aborted: the client has left. */
  readonly signal: AbortSignal
}

/**
 * Reads the answer to the query of an insight; null for an insight that asks nothing. A query that fails, or is refused, has no result, and its
 * error in `query_status`: one of many insights does not fail the request.
 */
export type ReadAnswer = (query: JsonObject | null) => Promise<AnswerFields>

/** For a caller who may not read answers. */
export const readNoAnswer: ReadAnswer = () => Promise.resolve(NO_ANSWER)

/** Reads the answers to the queries of insights. */
export interface InsightAnswers {
  /** Creates the reader for one request. */
  createReader(request: AnswerRequest): ReadAnswer
}

/** Dependencies of `createInsightAnswers`. */
export interface InsightAnswersOptions extends QueryWorkOptions {
  readonly queries: Queries
}

export const createInsightAnswers = ({ queries, ...options }: InsightAnswersOptions): InsightAnswers => {
  const { now } = options

  const createReader = ({ projectId, refresh = 'force_cache', signal }: AnswerRequest): ReadAnswer => {
    const { mode, isForced } = MODES[refresh]!
    let finder: Promise<FindCachedAnswer> | undefined

    const findAnswer = async (query: ParsedQuery): Promise<InsightAnswer | null> => {
      if (query.kind === 'sql') return null
      finder ??= createCachedAnswerFinder({ ...options, projectId })
      return (await finder)(query.query)
    }

    const findLast = async (query: ParsedQuery): Promise<AnswerFields> => {
      const answer = await findAnswer(query)
      return answer === null ? NO_ANSWER : toFields(answer)
    }

    const start = async (query: ParsedQuery): Promise<AnswerFields> => {
      const answer = await findAnswer(query)
      const last = answer === null ? NO_ANSWER : toFields(answer)
      if (!isForced && answer !== null && isYoung(answer, 'next_allowed_client_refresh', now())) return last
      const work = await createQueryWork(query, projectId, isForced, options)
      return { ...last, query_status: startJob(work) }
    }

    const startJob = (work: QueryWork): QueryStatusBody => {
      try {
        return toQueryStatusBody(queries.startOnce({ projectId, work, name: null }), now())
      } catch (error) {
        return toRefusal(error)
      }
    }

    const compute = async (query: ParsedQuery): Promise<AnswerFields> => {
      const work = await createQueryWork(query, projectId, isForced, options)
      const id = randomUUID()
      try {
        const { job, answer } = await queries.run({ projectId, work, id, name: null }, signal)
        return { ...toFields(answer), query_status: toQueryStatusBody(job, now()) }
      } catch (error) {
        const job = queries.find(projectId, id)
        // Without a job it did not begin: too many queries wait.
        return { ...NO_ANSWER, query_status: job === null ? toRefusal(error) : toQueryStatusBody(job, now()) }
      }
    }

    const toRefusal = (error: unknown): QueryStatusBody => {
      const refusal = error instanceof QueryError ? toQueryHttpError(error) : error
      if (!(refusal instanceof HttpError)) throw refusal
      return toRefusedStatusBody(refusal, { projectId, isAsync: mode === 'start', now: now() })
    }

    const read = { last: findLast, start, compute }[mode]
    return async (query) => {
      if (query === null) return NO_ANSWER
      try {
        return await read(parseQuery(query, options.syntax))
      } catch (error) {
        // It was stored by an earlier version, or filters of a dashboard do not fit.
        return { ...NO_ANSWER, query_status: toRefusal(error) }
      }
    }
  }

  return { createReader }
}

const toFields = (answer: SqlAnswer | InsightAnswer): AnswerFields => {
  if ('columns' in answer) {
    const { columns, types, results, hasMore } = answer
    return { ...NO_ANSWER, result: results, columns: [...columns], types: [...types], hasMore }
  }
  const { results, cache_key: _, warnings, ...fields } = answer
  return { ...NO_ANSWER, ...fields, result: results, ...(warnings && { warnings: [...warnings] }) }
}
