import type { JsonObject } from '../../wire/json.ts'
import * as Type from 'typebox'
import type { Static } from 'typebox'
import { getProject } from '../auth/request-access.ts'
import { QueryError } from '../indexer/query-error.ts'
import { createLeaveSignal } from '../http/leave-signal.ts'
import { notFound } from '../http-error.ts'
import { isYoung } from '../insight/cache/is-young.ts'
import type { YoungUntil } from '../insight/cache/is-young.ts'
import { createCachedAnswerFinder } from '../insight/insight-work.ts'
import type { InsightAnswer } from '../insight/insight-work.ts'
import type { Queries } from '../query/queries.ts'
import { ApiErrorSchema } from '../schema/api-error.ts'
import { ProjectParams } from '../schema/project-params.ts'
import { skipBodyCheck } from '../schema/skip-checks.ts'
import { refTo } from '../schema/types.ts'
import type { Api } from './api.ts'
import { checkFilters } from './check-filters.ts'
import { checkNewQueryBody } from './check-new-query.ts'
import { createQueryWork } from './create-query-work.ts'
import type { QueryWorkOptions } from './create-query-work.ts'
import type { ParsedQuery } from './parse-query-body.ts'
import { OVERRIDE, parseQueryBody } from './parse-query-body.ts'
import { toQueryHttpError } from './query-http-error.ts'
import { toQueryStatusBody, writeStatusResponse } from './query-status-body.ts'
import {
  InsightResponseSchema,
  InsightResultSchema,
  QueryInput,
  QueryResponseSchema,
  QueryStatusResponseSchema,
} from './schema/query.ts'
import { formatCsv } from '../../wire/result/format-csv.ts'
import { formatNdjson } from '../../wire/result/format-ndjson.ts'
import { pickFormat, RESULT_MEDIA_TYPES } from '../../wire/result/pick-format.ts'

/** Dependencies of the paths of queries. */
export interface QueriesOptions extends QueryWorkOptions {
  readonly queries: Queries
}

const PATH = '/query/'
const TAGS = ['query']
const JSON_TYPE = 'application/json; charset=utf-8'
/** Our own header. */
const HAS_MORE = 'waymark-has-more'
const FORMATTERS = { csv: formatCsv, ndjson: formatNdjson }
const READ = { access: { kind: 'personalKey', scope: 'query:read' } } as const

/** Adds the paths that run, follow and cancel queries. Cancelling changes nothing that is stored, so reading is enough for it. */
export const addQueries = (api: Api, { queries, ...options }: QueriesOptions): void => {
  const { now } = options
  const params = Type.Object(ProjectParams)
  const itemParams = Type.Object({ ...ProjectParams, id: Type.String({ description: 'The `id` of the query.' }) })

  // Sent as bytes, because the result of a job is kept as such.
  const StatusBytes = (description: string) => Type.Unsafe<Buffer>(refTo(QueryStatusResponseSchema, { description }))

  // An answer of an insight is sent as bytes, because its results are of many shapes.
  const AnswerBody = Type.Unsafe<Static<typeof QueryResponseSchema> | Buffer>(
    Type.Union([refTo(QueryResponseSchema), refTo(InsightResponseSchema), refTo(InsightResultSchema)]),
  )

  const findYoung = async (
    query: ParsedQuery,
    until: YoungUntil | null,
    projectId: number,
  ): Promise<InsightAnswer | null> => {
    if (until === null || query.kind === 'sql') return null
    const answer = await (await createCachedAnswerFinder({ ...options, projectId }))(query.query)
    return answer !== null && isYoung(answer, until, now()) ? answer : null
  }

  api.post(
    PATH,
    {
      config: READ,
      schema: {
        operationId: 'query_create',
        summary: 'Runs a query and waits for the result, or starts it as a job',
        tags: TAGS,
        params,
        body: skipBodyCheck(Type.Unsafe<JsonObject>(QueryInput)),
        response: {
          200: {
            description: 'The rows, in the form that the header `Accept` asks for.',
            headers: {
              [HAS_MORE]: Type.String({
                description: '`true` if there are more rows, in the forms that cannot say it.',
              }),
            },
            content: {
              [RESULT_MEDIA_TYPES.json[0]]: { schema: AnswerBody },
              [RESULT_MEDIA_TYPES.csv[0]]: {
                schema: Type.String({
                  description:
                    'RFC 4180, with a header; lines end with CRLF. Null is an empty cell, and an empty string is `""`.',
                }),
              },
              [RESULT_MEDIA_TYPES.ndjson[0]]: { schema: Type.String({ description: 'One JSON object in each line.' }) },
            },
          },
          202: StatusBytes('The status of the job.'),
          409: refTo(ApiErrorSchema, { description: 'Another query has the `client_query_id`.' }),
          504: refTo(ApiErrorSchema, { description: 'The query took too long.' }),
        },
      },
    },
    async (request, reply) => {
      await checkNewQueryBody(request.body, options.syntax)
      const {
        isJob,
        isForced,
        youngUntil,
        query: parsed,
        filters,
        ...names
      } = parseQueryBody(request.body, options.syntax)
      const projectId = getProject(request).project.id
      if (filters !== null) await checkFilters(options.metadata, filters, { projectId, name: OVERRIDE, now: now() })
      const query = { ...names, projectId, work: await createQueryWork(parsed, projectId, isForced, options) }
      const left = createLeaveSignal(reply)
      try {
        if (isJob) {
          // A repeated request is about the job that the first one has started.
          const isNew = names.id === null || queries.find(projectId, names.id) === null
          const kept = isNew ? await findYoung(parsed, youngUntil, projectId) : null
          if (kept !== null) return reply.type(JSON_TYPE).send(Buffer.from(JSON.stringify(kept)))
          // A client that has left may have sent a cancellation already, which found no job.
          if (left.aborted) throw new QueryError('cancelled', 'The client has left.')
          return reply
            .status(202)
            .type(JSON_TYPE)
            .send(writeStatusResponse(queries.start(query), now()))
        }
        const { job, answer } = await queries.run(query, left)
        const query_status = toQueryStatusBody(job, now())
        if ('timezone' in answer)
          return reply.type(JSON_TYPE).send(Buffer.from(JSON.stringify({ ...answer, query_status })))
        const { columns, types, results, hasMore } = answer
        const format = pickFormat(request.headers.accept)
        if (format !== 'json') {
          const text = FORMATTERS[format]({ columns, results })
          return reply
            .type(`${RESULT_MEDIA_TYPES[format][0]}; charset=utf-8`)
            .header(HAS_MORE, String(hasMore))
            .send(text)
        }
        return reply.send({ columns: [...columns], types: [...types], results, hasMore, query_status })
      } catch (error) {
        throw error instanceof QueryError ? toQueryHttpError(error) : error
      }
    },
  )

  api.get(
    `${PATH}:id/`,
    {
      config: READ,
      schema: {
        operationId: 'query_retrieve',
        summary: 'Reads the status of a query, and the result of a job',
        tags: TAGS,
        params: itemParams,
        response: { 200: StatusBytes('The status. A query that failed has its error in it.') },
      },
    },
    async (request, reply) => {
      const { id } = request.params
      const job = queries.find(getProject(request).project.id, id)
      if (job === null) throw createUnknownError(id)
      return reply.type(JSON_TYPE).send(writeStatusResponse(job, now()))
    },
  )

  api.delete(
    `${PATH}:id/`,
    {
      config: READ,
      schema: {
        operationId: 'query_destroy',
        summary: 'Cancels a query. One that has ended stays as it is',
        tags: TAGS,
        params: itemParams,
        response: { 204: Type.Null({ description: 'The query has ended, or was cancelled.' }) },
      },
    },
    async (request, reply) => {
      const { id } = request.params
      if (!queries.cancel(getProject(request).project.id, id)) throw createUnknownError(id)
      return reply.status(204).send(null)
    },
  )

  api.post(
    `${PATH}check_auth_for_async/`,
    {
      config: READ,
      schema: {
        operationId: 'query_check_auth_for_async_create',
        summary: 'Tells whether the key may run queries as jobs',
        tags: TAGS,
        params,
        response: { 200: Type.Unsafe<undefined>(Type.Null({ description: 'It may. There is no body.' })) },
      },
    },
    async (_request, reply) => reply.send(undefined),
  )
}

const createUnknownError = (id: string) =>
  notFound(
    `This project has no query "${id}". A query is forgotten some time after its end (\`expiration_time\`), and when the service restarts.`,
  )
