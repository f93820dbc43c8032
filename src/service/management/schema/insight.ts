import * as Type from 'typebox'
import { IfVersion, JsonFields, nullable, refTo, Time, Version } from '../../schema/types.ts'
import { INSIGHT_ORDERS } from '../../store/metadata/insights.ts'
import { JOB_MODES, QueryStatusSchema, WAIT_MODES, Warnings } from './query.ts'
import { UserSchema } from './user.ts'

const name = Type.String({ maxLength: 400, description: 'Empty for none.', examples: ['Signups per day'] })
const derived_name = nullable(Type.String({ maxLength: 400 }), {
  description: 'A name that follows from the query, unless it was set.',
})
const description = Type.String({ maxLength: 10_000 })
const query = nullable(JsonFields('What is asked: what `POST …/query/` takes as `query`.'), {
  description: 'Null for an insight that asks nothing yet.',
})
const order = nullable(Type.Integer())
export const Tags = () =>
  Type.Array(Type.String({ minLength: 1, maxLength: 100 }), { maxItems: 100, examples: [['growth']] })
const favorited = Type.Boolean()
const dashboards = Type.Array(Type.Integer(), { maxItems: 100, description: 'Ids of the dashboards that show it.' })

const NullableTime = (text: string) => nullable(Type.String({ format: 'date-time' }), { description: text })

export const Refresh = () =>
  Type.Optional(
    Type.Enum([...JOB_MODES, ...WAIT_MODES, 'true', 'false'], {
      default: 'force_cache',
      description:
        '`force_cache`, or `false`: the answer that was computed last, or null. `blocking`, or `true`: computes it unless the last one ' +
        'holds. `force_blocking`: computes it. `async`, `lazy_async`, `force_async`: the same as a job, whose status is in `query_status`.',
    }),
  )

export const InsightSchema = Type.Object(
  {
    id: Type.Integer({ examples: [1] }),
    short_id: Type.String({ description: 'Identifies the insight in links.', examples: ['pX3dZ0qk2aLw'] }),
    name,
    derived_name,
    description,
    query,
    order,
    tags: Tags(),
    favorited,
    deleted: Type.Boolean({ description: 'A deleted insight is kept, but not listed.' }),
    dashboards,
    dashboard_tiles: Type.Array(
      Type.Object({
        id: Type.Integer(),
        dashboard_id: Type.Integer(),
        deleted: nullable(Type.Boolean()),
      }),
    ),
    result: Type.Unknown({ description: 'The results of its query; null without an answer.' }),
    columns: nullable(Type.Array(Type.String()), { description: 'Of an answer to SQL.' }),
    types: nullable(Type.Array(Type.String()), { description: 'Of an answer to SQL.' }),
    hasMore: nullable(Type.Boolean(), { description: 'Whether an answer to SQL has more rows.' }),
    is_cached: Type.Boolean({ description: 'Whether the answer was computed for an earlier request.' }),
    query_status: nullable(refTo(QueryStatusSchema), { description: 'Of the query that this request ran or started.' }),
    timezone: nullable(Type.String()),
    last_refresh: NullableTime('When the answer was computed.'),
    cache_target_age: NullableTime('When it is computed again at the latest.'),
    next_allowed_client_refresh: NullableTime('Before that it is not computed again, unless that is forced.'),
    warnings: Warnings(),
    created_at: Time('Time of creation.'),
    created_by: nullable(refTo(UserSchema), { description: 'Null for a user that was removed.' }),
    updated_at: Time('Time of the last change.'),
    last_modified_at: Time('Time of the last change.'),
    last_modified_by: nullable(refTo(UserSchema), { description: 'Null for a user that was removed.' }),
    is_sample: Type.Boolean({ description: 'Always false: users made all insights.' }),
    version: Version(),
  },
  { $id: 'Insight', description: 'A saved question, and its answer.' },
)

export const InsightInput = Type.Object({
  name: Type.Optional(nullable(name)),
  derived_name: Type.Optional(derived_name),
  description: Type.Optional(nullable(description)),
  query: Type.Optional(query),
  order: Type.Optional(order),
  tags: Type.Optional(Tags()),
  favorited: Type.Optional(favorited),
  deleted: Type.Optional(Type.Boolean({ description: 'True deletes the insight, false restores it.' })),
  dashboards: Type.Optional(dashboards),
})

export const InsightChange = Type.Object({ ...InsightInput.properties, version: Type.Optional(IfVersion()) })

/** The query parameters that select and order insights, besides those of pages. */
export const InsightListQuery = {
  created_by: Type.Optional(Type.Integer({ description: 'Id of the user who created them.' })),
  short_id: Type.Optional(Type.String()),
  favorited: Type.Optional(Type.Boolean()),
  dashboard: Type.Optional(Type.Integer({ description: 'Id of a dashboard that shows them.' })),
  search: Type.Optional(
    Type.String({ description: 'Part of the name or the description; letters A to Z in any case.' }),
  ),
  order: Type.Optional(
    Type.Enum(
      INSIGHT_ORDERS.flatMap((each) => [each, `-${each}`] as const),
      { default: '-last_modified_at', description: 'A minus sign means the highest first.' },
    ),
  ),
  refresh: Refresh(),
}
