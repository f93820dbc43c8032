import * as Type from 'typebox'
import type { Static, TSchema } from 'typebox'
import { isRecord } from '../../../wire/json.ts'
import type { Json, JsonObject } from '../../../wire/json.ts'
import type { ReadOnly } from '../../schema/types.ts'
import { refTo } from '../../schema/types.ts'
import { LIFECYCLE_STATUSES } from '../question/lifecycle.ts'
import { optional } from './fields.ts'
import { FunnelsQuerySchema } from './funnels-query.ts'
import { LifecycleQuerySchema } from './lifecycle-query.ts'
import { PathsQuerySchema } from './paths-query.ts'
import { RetentionQuerySchema } from './retention-query.ts'
import { StickinessQuerySchema } from './stickiness-query.ts'
import { TrendsQuerySchema } from './trends-query.ts'

/** Most actors in one answer. */
const MAX_ACTORS = 50_000

const BreakdownValue = Type.Union([
  Type.String(),
  Type.Integer(),
  Type.Array(Type.Union([Type.String(), Type.Integer()])),
])

export const InsightActorsQuerySchema = Type.Object(
  {
    kind: Type.Enum(['InsightActorsQuery']),
    source: Type.Union(
      [
        refTo(TrendsQuerySchema),
        refTo(StickinessQuerySchema),
        refTo(LifecycleQuerySchema),
        refTo(RetentionQuerySchema),
        refTo(PathsQuerySchema),
      ],
      { description: 'The query of the insight. Keys in the `pathsFilter` of paths name their point.' },
    ),
    day: optional(
      Type.Union([Type.String(), Type.Integer()]),
      'Trends and lifecycles: one of the `days` of the answer, a string. Stickiness: one of its `days`, a number. Default: the whole ' +
        'range; lifecycles need a day.',
    ),
    series: optional(Type.Integer({ minimum: 0 }), 'Trends and stickiness: index of the series. Default: 0.'),
    breakdown: optional(BreakdownValue, 'Trends: the `breakdown_value` of the series. Default: all values.'),
    compare: optional(
      Type.Enum(['current', 'previous']),
      'Trends and stickiness: which of two ranges that are compared. Default: `current`.',
    ),
    status: optional(Type.Enum(LIFECYCLE_STATUSES), 'Lifecycles: the status.'),
    interval: optional(Type.Integer({ minimum: 0 }), 'Retention: index of the result, whose cohort is listed.'),
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

export const FunnelsActorsQuerySchema = Type.Object(
  {
    kind: Type.Enum(['FunnelsActorsQuery']),
    source: refTo(FunnelsQuerySchema, { description: 'The query of the funnel.' }),
    funnelStep: Type.Integer({
      description:
        'Those who did this step, counted from 1; negative, from -2: those who did the last step before it that is not optional, but ' +
        'not this one.',
    }),
    funnelStepBreakdown: optional(BreakdownValue, 'The `breakdown_value` of the funnel. Default: all values.'),
  },
  {
    $id: 'FunnelsActorsQuery',
    description: 'The persons or groups who reached a step of a funnel, or who did not.',
    examples: [
      {
        kind: 'FunnelsActorsQuery',
        source: { kind: 'FunnelsQuery', series: [{ event: '$pageview' }, { event: 'bought' }] },
        funnelStep: -2,
      },
    ],
  },
)

export const ActorsQuerySchema = Type.Object(
  {
    kind: Type.Enum(['ActorsQuery']),
    source: Type.Optional(
      Type.Union([refTo(InsightActorsQuerySchema), refTo(FunnelsActorsQuerySchema), Type.Null()], {
        description: 'Default: all persons.',
      }),
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

export type InsightActorsQuery = ReadOnly<Static<typeof InsightActorsQuerySchema>>
export type FunnelsActorsQuery = ReadOnly<Static<typeof FunnelsActorsQuerySchema>>
export type ActorsQuery = Static<typeof ActorsQuerySchema>

const INSIGHTS: Readonly<Record<string, TSchema>> = {
  TrendsQuery: TrendsQuerySchema,
  StickinessQuery: StickinessQuerySchema,
  LifecycleQuery: LifecycleQuerySchema,
  RetentionQuery: RetentionQuerySchema,
  PathsQuery: PathsQuerySchema,
}

/** What all of them have. */
const AnyInsight = Type.Object({ kind: Type.Enum(Object.keys(INSIGHTS)) })

/** The schema of a query with the kinds that its sources have, so that an error is about these and not about all kinds. */
export const narrowActorsQuery = ({ source }: JsonObject): TSchema => {
  const kind = kindOf(source)
  if (kind === 'FunnelsActorsQuery') return withSource(ActorsQuerySchema, FunnelsActorsQuerySchema)
  if (kind !== 'InsightActorsQuery') return ActorsQuerySchema
  const insightKind = kindOf((source as JsonObject)['source'])
  const insight = Object.hasOwn(INSIGHTS, insightKind) ? INSIGHTS[insightKind]! : AnyInsight
  return withSource(ActorsQuerySchema, withSource(InsightActorsQuerySchema, insight))
}

const kindOf = (node: Json | undefined): string =>
  isRecord(node) && typeof node['kind'] === 'string' ? node['kind'] : ''

const withSource = ({ properties }: { readonly properties: Record<string, TSchema> }, source: TSchema) =>
  Type.Object({ ...properties, source })
