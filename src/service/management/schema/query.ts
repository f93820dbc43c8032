import * as Type from 'typebox'
import { JsonFields, nullable, refTo } from '../../schema/types.ts'

const NullableTime = (description: string) => nullable(Type.String({ format: 'date-time' }), { description })

export const QueryStatusSchema = Type.Object(
  {
    id: Type.String(),
    complete: Type.Boolean({ description: 'True also after an error.' }),
    error: Type.Boolean(),
    query_async: Type.Boolean(),
    team_id: Type.Integer({ description: 'Id of the project.' }),
    dashboard_id: nullable(Type.Integer()),
    end_time: NullableTime('End of the query.'),
    error_message: nullable(Type.String()),
    expiration_time: NullableTime('When the result is removed.'),
    insight_id: nullable(Type.Integer()),
    labels: nullable(Type.Array(Type.String())),
    pickup_time: NullableTime('When the query began to run.'),
    query_progress: nullable(JsonFields('How far the query is.')),
    results: Type.Unknown({ description: 'The result of a query that ran in the background.' }),
    start_time: NullableTime('When the query was requested.'),
    task_id: nullable(Type.String()),
  },
  { $id: 'QueryStatus', description: 'A query as a job.' },
)

export const QueryResponseSchema = Type.Object(
  {
    columns: Type.Array(Type.String(), { examples: [['event', 'count']] }),
    types: Type.Array(Type.String(), { examples: [['VARCHAR', 'BIGINT']] }),
    results: Type.Unsafe<readonly (readonly unknown[])[]>(
      Type.Unknown({ description: 'An array of rows, each an array of values.', examples: [[['$pageview', 12]]] }),
    ),
    hasMore: Type.Boolean({ description: 'Whether rows were left out.' }),
    query_status: refTo(QueryStatusSchema),
  },
  { $id: 'QueryResponse', description: 'The rows of a query.' },
)

export const QueryInput = Type.Object(
  {
    query: Type.Union([
      Type.String({ description: 'SQL.' }),
      Type.Object({ kind: Type.Enum(['SQLQuery', 'HogQLQuery']), query: Type.String({ description: 'SQL.' }) }),
    ]),
  },
  { examples: [{ query: 'select event, count(*) from events group by event' }] },
)
