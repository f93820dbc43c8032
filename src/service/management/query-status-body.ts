import { randomUUID } from 'node:crypto'
import type { Static } from 'typebox'
import type { HttpError } from '../http-error.ts'
import type { QueryJob } from '../query/query-job.ts'
import { toQueryHttpError } from './query-http-error.ts'
import type { QueryStatusSchema } from './schema/query.ts'
import { toIsoTime, toIsoTimeOrNull } from '../to-iso-time.ts'

/** The `query_status` of a query, as JSON objects have it. */
export type QueryStatusBody = Static<typeof QueryStatusSchema>

/**
 * The `query_status` of a query without its result.
 *
 * @param now Milliseconds since 1970.
 */
export const toQueryStatusBody = (job: QueryJob, now: number): QueryStatusBody => {
  const error = job.end?.error ?? null
  return {
    id: job.id,
    complete: job.end !== null,
    error: error !== null,
    error_code: error === null ? null : toQueryHttpError(error).body.code,
    error_message: error?.message ?? null,
    query_async: job.isAsync,
    team_id: job.projectId,
    dashboard_id: null,
    insight_id: null,
    task_id: null,
    labels: job.name === null ? null : [job.name],
    start_time: toIsoTime(job.startTime),
    pickup_time: toIsoTimeOrNull(job.pickupTime),
    end_time: toIsoTimeOrNull(job.end?.time),
    expiration_time: toIsoTimeOrNull(job.end?.expirationTime),
    query_progress: toProgressBody(job, now),
    results: null,
  }
}

/** The `query_status` of a query that was refused: there is no such query to ask for. */
export const toRefusedStatusBody = (
  { body: { code, detail } }: HttpError,
  { projectId, isAsync, now }: Pick<QueryJob, 'projectId' | 'isAsync'> & { readonly now: number },
): QueryStatusBody => {
  const end = { time: now, expirationTime: now, error: null, resultJson: null }
  const times = { startTime: now, pickupTime: null, progress: null, end }
  const status = toQueryStatusBody({ id: randomUUID(), projectId, isAsync, name: null, textHash: '', ...times }, now)
  return { ...status, error: true, error_code: code, error_message: detail }
}

/** The JSON of `{query_status}` with the result, which is JSON already. */
export const writeStatusResponse = (job: QueryJob, now: number): Buffer => {
  const { results: _, ...status } = toQueryStatusBody(job, now)
  const fields = JSON.stringify(status).slice(0, -1)
  const resultJson = job.end?.resultJson ?? 'null'
  return Buffer.concat([`{"query_status":${fields},"results":`, resultJson, '}}'].map(toBytes))
}

const toProgressBody = ({ pickupTime, end, progress }: QueryJob, now: number): QueryStatusBody['query_progress'] => {
  if (pickupTime === null || end !== null) return null
  return {
    rows_read: progress?.rowsRead ?? null,
    estimated_rows_total: progress?.estimatedRows ?? null,
    bytes_read: null,
    // The clock may have been set back.
    time_elapsed: Math.max(0, now - pickupTime),
    active_cpu_time: null,
  }
}

const toBytes = (part: string | Buffer): Buffer => (typeof part === 'string' ? Buffer.from(part) : part)
