import * as Type from 'typebox'
import type { Static } from 'typebox'
import { refTo } from '../../schema/types.ts'
import { optional } from './fields.ts'
import { TrendsQuerySchema } from './trends-query.ts'

/** Most actors in one answer. */
const MAX_ACTORS = 50_000

export const InsightActorsQuerySchema = Type.Object(
  {
    kind: Type.Enum(['InsightActorsQuery']),
    source: refTo(TrendsQuerySchema, { description: 'The query of the insight.' }),
    day: optional(
      Type.Union([Type.String(), Type.Integer()]),
      'The period: one of the `days` of the answer. Default: the whole range.',
    ),
    series: optional(Type.Integer({ minimum: 0 }), 'Index of the series. Default: 0.'),
    breakdown: optional(
      Type.Union([Type.String(), Type.Integer(), Type.Array(Type.Union([Type.String(), Type.Integer()]))]),
      'The `breakdown_value` of the series. Default: all values.',
    ),
    compare: optional(Type.Enum(['current', 'previous']), 'Which of two ranges that are compared. Default: `current`.'),
  },
  {
    $id: 'InsightActorsQuery',
    description: 'The persons or groups behind one point of an insight.',
    examples: [
      {
        kind: 'InsightActorsQuery',
        source: { kind: 'TrendsQuery', series: [{ kind: 'EventsNode', event: '$pageview', math: 'dau' }] },
        day: '2026-01-31',
      },
    ],
  },
)

export const ActorsQuerySchema = Type.Object(
  {
    kind: Type.Enum(['ActorsQuery']),
    source: Type.Optional(
      Type.Union([refTo(InsightActorsQuerySchema), Type.Null()], { description: 'Default: all persons.' }),
    ),
    select: optional(
      Type.Array(Type.String(), { minItems: 1, maxItems: 20 }),
      'Columns: `person` or `actor` is all that is known, `id` and `created_at` are a part of it. Default: `person`, or `actor` for ' +
        'groups, and `id`.',
    ),
    search: optional(
      Type.String({ maxLength: 1000 }),
      'A part of the id, of a distinct id, or of the properties `email` or `name`. Case is ignored.',
    ),
    properties: Type.Optional(Type.Unknown({ description: 'Filters of the types person and cohort, as for events.' })),
    orderBy: optional(
      Type.Array(Type.String(), { maxItems: 2 }),
      '`created_at` or `id`, each with `ASC` or `DESC`. Default: `created_at DESC`.',
    ),
    limit: optional(Type.Integer({ minimum: 1, maximum: MAX_ACTORS }), 'Default: 100.'),
    offset: optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }), 'Default: 0.'),
  },
  {
    $id: 'ActorsQuery',
    description: 'Persons or groups: those behind one point of an insight, or all persons.',
    examples: [{ kind: 'ActorsQuery', search: '@example.com', orderBy: ['created_at DESC'], limit: 10 }],
  },
)

export type ActorsQuery = Static<typeof ActorsQuerySchema>
