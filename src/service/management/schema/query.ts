import * as Type from 'typebox'
import { FunnelsQuerySchema } from '../../insight/schema/funnels-query.ts'
import { LifecycleQuerySchema } from '../../insight/schema/lifecycle-query.ts'
import { RetentionQuerySchema } from '../../insight/schema/retention-query.ts'
import { StickinessQuerySchema } from '../../insight/schema/stickiness-query.ts'
import { ActorsQuerySchema } from '../../insight/schema/actors-query.ts'
import { EventsQuerySchema } from '../../insight/schema/events-query.ts'
import { PathsQuerySchema } from '../../insight/schema/paths-query.ts'
import { TrendsQuerySchema } from '../../insight/schema/trends-query.ts'
import { optional } from '../../insight/schema/fields.ts'
import { nullable, refTo } from '../../schema/types.ts'

const NullableTime = (description: string) => nullable(Type.String({ format: 'date-time' }), { description })

const NullableCount = (description: string) => nullable(Type.Number({ minimum: 0 }), { description })

const RESULT_FIELDS = {
  columns: Type.Array(Type.String(), { examples: [['event', 'count']] }),
  types: Type.Array(Type.String(), { examples: [['VARCHAR', 'BIGINT']] }),
  // Not `Type.Array`, with which each value of each row would be shaped: that takes five times as long as writing the JSON.
  results: Type.Unsafe<readonly (readonly unknown[])[]>({
    type: 'array',
    items: { type: 'array', items: {} },
    description:
      'The rows, each with a value per column. Integers and decimals that a number cannot hold exactly are strings.',
    examples: [[['$pageview', 12]]],
  }),
  hasMore: Type.Boolean({ description: 'Whether rows were left out.' }),
}

export const QueryResultSchema = Type.Object(RESULT_FIELDS, {
  $id: 'QueryResult',
  description: 'The rows of a query.',
})

/** What answers say beside the numbers. */
export const Warnings = () =>
  Type.Optional(
    Type.Array(Type.String(), {
      description:
        'Events and properties that the query names and the project never had, each in a sentence; missing without one.',
      examples: [['"query.series[0].event": the project never had an event "boguht"; the closest name is "bought".']],
    }),
  )

const INSIGHT_FIELDS = {
  results: Type.Unknown({ description: 'Depends on the kind of the query.' }),
  timezone: Type.String({
    description: 'The time zone of the project, whose days are meant.',
    examples: ['Europe/Berlin'],
  }),
  is_cached: Type.Boolean({ description: 'Whether the answer was computed for an earlier request.' }),
  last_refresh: Type.String({ format: 'date-time', description: 'When it was computed.' }),
  cache_target_age: Type.String({ format: 'date-time', description: 'When it is computed again at the latest.' }),
  next_allowed_client_refresh: Type.String({
    format: 'date-time',
    description: 'Before that it is not computed again although events arrive, unless that is forced.',
  }),
  cache_key: Type.String({ description: 'Identifies the query with the settings that it depends on.' }),
  warnings: Warnings(),
  columns: Type.Optional(Type.Array(Type.String(), { description: 'The columns of `results`, where these are rows.' })),
  limit: Type.Optional(Type.Integer({ description: 'Most rows of the answer.' })),
  offset: Type.Optional(Type.Integer({ description: 'Rows before the first one.' })),
  hasMore: Type.Optional(Type.Boolean({ description: 'Whether there are more rows.' })),
  missing_actors_count: Type.Optional(
    Type.Integer({
      description: 'Persons or groups of whom nothing is known but their id; they are not in `results`.',
    }),
  ),
}

export const InsightResultSchema = Type.Object(INSIGHT_FIELDS, {
  $id: 'InsightResult',
  description: 'The answer to a query of an insight.',
})

const QueryProgress = Type.Object(
  {
    rows_read: NullableCount('Rows that the query has read.'),
    estimated_rows_total: NullableCount('Rows that it reads in all: an estimate, which may grow.'),
    bytes_read: NullableCount('Always null: the event store does not count bytes.'),
    time_elapsed: Type.Integer({ minimum: 0, description: 'Milliseconds since the query began to run.' }),
    active_cpu_time: NullableCount('Always null: the event store does not measure it.'),
  },
  { description: 'How far the query is. A value that the event store cannot tell is null.' },
)

export const QueryStatusSchema = Type.Object(
  {
    id: Type.String({ description: 'Identifies the query in its project.' }),
    complete: Type.Boolean({
      description: 'Whether the query has ended: with a result, with an error, or by a cancellation.',
    }),
    error: Type.Boolean({ description: 'Whether it has ended without a result.' }),
    error_code: nullable(Type.String(), {
      description:
        'A stable identifier of the error, for programs: the `code` of the error that the query has when its request waits for the ' +
        'result, or `result_removed`.',
    }),
    query_async: Type.Boolean({ description: 'Whether it is a job, which keeps its result.' }),
    team_id: Type.Integer({ description: 'Id of the project.' }),
    dashboard_id: nullable(Type.Integer(), { description: 'Always null.' }),
    end_time: NullableTime('End of the query.'),
    error_message: nullable(Type.String(), { description: 'One sentence, or a few, for people.' }),
    expiration_time: NullableTime('When query and result are forgotten; null until the query has ended.'),
    insight_id: nullable(Type.Integer(), { description: 'Always null.' }),
    labels: nullable(Type.Array(Type.String()), { description: 'The `name` of the request; null without one.' }),
    pickup_time: NullableTime('When it began to run; null while it waits.'),
    query_progress: nullable(QueryProgress, { description: 'Null unless the query runs.' }),
    results: Type.Union([refTo(QueryResultSchema), refTo(InsightResultSchema), Type.Null()], {
      description: 'The result of a job; null without one.',
    }),
    start_time: NullableTime('When it was requested.'),
    task_id: nullable(Type.String(), { description: 'Always null.' }),
  },
  { $id: 'QueryStatus', description: 'A query that waits, runs or has ended.' },
)

const RUNNING_QUERY = {
  id: '0190a3c4-7d2f-4b1e-9a57-3f1f0c2d9e10',
  complete: false,
  error: false,
  error_code: null,
  error_message: null,
  query_async: true,
  team_id: 1,
  dashboard_id: null,
  insight_id: null,
  task_id: null,
  labels: ['Weekly report'],
  start_time: '2026-01-31T09:00:00.000Z',
  pickup_time: '2026-01-31T09:00:00.012Z',
  end_time: null,
  expiration_time: null,
  query_progress: {
    rows_read: 1_228_800,
    estimated_rows_total: 10_000_000,
    bytes_read: null,
    time_elapsed: 350,
    active_cpu_time: null,
  },
  results: null,
}

export const QueryStatusResponseSchema = Type.Object(
  { query_status: refTo(QueryStatusSchema) },
  { $id: 'QueryStatusResponse', description: 'The status of a query.', examples: [{ query_status: RUNNING_QUERY }] },
)

export const QueryResponseSchema = Type.Object(
  { ...RESULT_FIELDS, query_status: refTo(QueryStatusSchema) },
  { $id: 'QueryResponse', description: 'The rows of a query, and its status.' },
)

export const InsightResponseSchema = Type.Object(
  { ...INSIGHT_FIELDS, query_status: refTo(QueryStatusSchema) },
  { $id: 'InsightResponse', description: 'The answer to a query of an insight, and its status.' },
)

/** The values of `refresh` that start a job. */
export const JOB_MODES = ['async', 'lazy_async', 'force_async'] as const

/** The value that takes an older answer than the others. */
export const LAZY_MODE = 'lazy_async'

/** The values that compute an insight even if a cached answer still holds. */
export const FORCED_MODES = ['force_blocking', 'force_async'] as const

/** The values that wait for the result. */
export const WAIT_MODES = ['blocking', 'force_blocking', 'force_cache', 'async_except_on_cache_miss'] as const

/** An id that a client chooses. It must not be the name of another path. */
export const CLIENT_QUERY_ID = /^(?!draft_sql$|check_auth_for_async$)[\w-]{1,128}$/

export const MAX_NAME_LENGTH = 128

export const QueryInput = Type.Object(
  {
    query: Type.Union([
      Type.String({ description: 'SQL.' }),
      Type.Object({
        kind: Type.Enum(['SQLQuery', 'HogQLQuery']),
        query: Type.String({ description: 'SQL.' }),
        values: optional(
          Type.Record(Type.String(), Type.Unknown()),
          'Strings, numbers, booleans, null, and lists of one of these types, which stand for their names in braces: `WHERE event = {name}`.',
        ),
      }),
      refTo(TrendsQuerySchema),
      refTo(FunnelsQuerySchema),
      refTo(RetentionQuerySchema),
      refTo(StickinessQuerySchema),
      refTo(LifecycleQuerySchema),
      refTo(PathsQuerySchema),
      refTo(ActorsQuerySchema),
      refTo(EventsQuerySchema),
    ]),
    refresh: Type.Optional(
      Type.Union([Type.Enum([...JOB_MODES, ...WAIT_MODES]), Type.Boolean(), Type.Null()], {
        description:
          '`async`, `lazy_async` and `force_async` start a job; its status is answered at once. But an insight is answered at once ' +
          'if `async` finds an answer that was computed within ten seconds, or `lazy_async` one within an hour, whatever has arrived ' +
          'since. The others wait for the result. ' +
          'The answer to an insight may be one that was computed before, as long as no event has arrived in its range of time; ' +
          '`force_blocking` and `force_async` compute it anew. SQL always runs.',
      }),
    ),
    async: Type.Optional(
      Type.Union([Type.Boolean(), Type.Null()], { description: 'True starts a job, as `refresh: "async"` does.' }),
    ),
    client_query_id: Type.Optional(
      Type.Union([Type.String({ pattern: CLIENT_QUERY_ID.source }), Type.Null()], {
        description:
          'An id for the query, so that it can be cancelled before it is answered. A request for a job may be repeated with it: ' +
          'the job of the first request is answered.',
      }),
    ),
    filters_override: Type.Optional(
      Type.Union(
        [
          Type.Object({
            date_from: Type.Optional(Type.Union([Type.String(), Type.Null()])),
            date_to: Type.Optional(Type.Union([Type.String(), Type.Null()])),
            properties: Type.Optional(Type.Unknown({ description: 'Property filters that must match, too.' })),
          }),
          Type.Null(),
        ],
        { description: 'Dates of an insight instead of its own, and further filters, as a dashboard has them.' },
      ),
    ),
    name: Type.Optional(
      Type.Union([Type.String({ maxLength: MAX_NAME_LENGTH }), Type.Null()], {
        description: 'A name for people, shown in `labels`.',
      }),
    ),
  },
  { examples: [{ query: 'select event, count(*) from events group by event' }] },
)
