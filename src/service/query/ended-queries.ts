import { QueryError } from '../indexer/query-error.ts'
import { createQueryHistory } from './query-history.ts'
import type { EndedQuery } from './query-history.ts'
import type { QueryEnd, QueryJob, QueryOutcome } from './query-job.ts'

/** Remembers the queries that have ended for a while: jobs with their results, and those that were answered at once without. */
export interface EndedQueries {
  /** Ends a query and remembers it. Returns it as it is from then on. Throws if its answer cannot be JSON, as when it is too long. */
  add(job: QueryJob, outcome: QueryOutcome): QueryJob
  /** Undefined for a query that is unknown, or no longer remembered. */
  find(projectId: number, id: string): QueryJob | undefined
  /** Stops removing expired results. */
  stop(): void
}

export interface EndedQueriesOptions {
  /** Bytes of the results that are kept for all jobs, as JSON. */
  readonly maxResultBytes: number
  /** Milliseconds since 1970. May jump. */
  readonly now: () => number
}

/** How long an ended query is remembered. */
const REMEMBER_MS = 20 * 60_000

/** Ended queries that are remembered: jobs, and those whose result was the response to their request. */
const MAX_ENDED_JOBS = 1000
const MAX_ANSWERED_QUERIES = 2000

/** Interval at which expired results are removed from memory. */
const EXPIRY_MS = 30_000

interface EndedJob extends EndedQuery {
  readonly job: QueryJob & { readonly end: QueryEnd }
}

export const createEndedQueries = ({ maxResultBytes, now }: EndedQueriesOptions): EndedQueries => {
  const jobs = createQueryHistory<EndedJob>({
    maxQueries: MAX_ENDED_JOBS,
    maxResultBytes,
    withoutResult: (ended) => removeResult(ended, maxResultBytes),
  })
  const answeredQueries = createQueryHistory<EndedJob>({
    maxQueries: MAX_ANSWERED_QUERIES,
    maxResultBytes: 0,
    withoutResult: (ended) => ended,
  })
  const timer = setInterval(() => jobs.removeExpired(now()), EXPIRY_MS).unref()
  return {
    add(job, outcome) {
      const time = now()
      const { id, projectId, isAsync } = job
      const error = 'error' in outcome ? outcome.error : null
      const resultJson = isAsync && 'answer' in outcome ? Buffer.from(JSON.stringify(outcome.answer)) : null
      const expirationTime = time + REMEMBER_MS
      const ended = { ...job, progress: null, end: { time, expirationTime, error, resultJson } }
      const history = isAsync ? jobs : answeredQueries
      history.add({ id, projectId, expirationTime, resultBytes: resultJson?.length ?? 0, job: ended }, time)
      return ended
    },
    find: (projectId, id) => (jobs.find(projectId, id, now()) ?? answeredQueries.find(projectId, id, now()))?.job,
    stop: () => clearInterval(timer),
  }
}

const removeResult = (ended: EndedJob, maxResultBytes: number): EndedJob => {
  const error = new QueryError(
    'result_removed',
    `The result was removed: the service keeps at most ${maxResultBytes} bytes of results. Run the query again.`,
  )
  const job = { ...ended.job, end: { ...ended.job.end, error, resultJson: null } }
  return { ...ended, resultBytes: 0, job }
}
