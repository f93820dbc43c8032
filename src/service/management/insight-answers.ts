import { randomUUID } from 'node:crypto'
import type { JsonObject } from '../../wire/json.ts'
import { QueryError } from '../indexer/query-error.ts'
import { findCachedAnswer } from '../insight/insight-work.ts'
import type { InsightAnswer } from '../insight/insight-work.ts'
import type { Queries } from '../query/queries.ts'
import type { SqlAnswer } from '../query/query-work.ts'
import type { QueryWorkOptions } from './create-query-work.ts'
import { createQueryWork } from './create-query-work.ts'
import type { ParsedQuery } from './parse-query-body.ts'
import { parseQuery } from './parse-query-body.ts'
import { toQueryHttpError } from './query-http-error.ts'
import type { QueryStatusBody } from './query-status-body.ts'
import { toQueryStatusBody } from './query-status-body.ts'

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

/** A query whose answer a request wants. */
export interface AnswerRequest {
  readonly projectId: number
  /** Null for an insight that asks nothing. */
  readonly query: JsonObject | null
  /** The parameter `refresh`. Default: `force_cache`. */
  readonly refresh?: string | undefined
  /** Ends the query when it is aborted: the client has left. */
  readonly signal: AbortSignal
}

/** Reads the answers to the queries of insights. */
export interface InsightAnswers {
  /** A query that fails has no result, and its error in `query_status`. */
  read(request: AnswerRequest): Promise<AnswerFields>
}

/** Dependencies of `createInsightAnswers`. */
export interface InsightAnswersOptions extends QueryWorkOptions {
  readonly queries: Queries
}

export const createInsightAnswers = ({ queries, ...options }: InsightAnswersOptions): InsightAnswers => {
  const { now } = options

  const findLast = async (query: ParsedQuery, projectId: number): Promise<AnswerFields> => {
    if (query.kind === 'sql') return NO_ANSWER
    const answer = await findCachedAnswer(query.query, { ...options, projectId })
    return answer === null ? NO_ANSWER : toFields(answer)
  }

  return {
    async read({ projectId, query, refresh = 'force_cache', signal }) {
      if (query === null) return NO_ANSWER
      const parsed = parseQuery(query)
      const { mode, isForced } = MODES[refresh]!
      if (mode === 'last') return findLast(parsed, projectId)
      const work = await createQueryWork(parsed, projectId, isForced, options)
      const id = randomUUID()
      try {
        if (mode === 'start') {
          const job = queries.start({ projectId, work, id, name: null })
          return { ...(await findLast(parsed, projectId)), query_status: toQueryStatusBody(job, now()) }
        }
        const { job, answer } = await queries.run({ projectId, work, id, name: null }, signal)
        return { ...toFields(answer), query_status: toQueryStatusBody(job, now()) }
      } catch (error) {
        if (!(error instanceof QueryError)) throw error
        const job = queries.find(projectId, id)
        // Without a job it did not begin: too many queries wait.
        if (job === null) throw toQueryHttpError(error)
        return { ...NO_ANSWER, query_status: toQueryStatusBody(job, now()) }
      }
    },
  }
}

const toFields = (answer: SqlAnswer | InsightAnswer): AnswerFields => {
  if ('columns' in answer) {
    const { columns, types, results, hasMore } = answer
    return { ...NO_ANSWER, result: results, columns: [...columns], types: [...types], hasMore }
  }
  const { results, cache_key: _, ...fields } = answer
  return { ...NO_ANSWER, ...fields, result: results }
}
