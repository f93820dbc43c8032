import type { FilterContext } from '../filter/filter-context.ts'
import { FilterError } from '../filter/filter-error.ts'
import { findFunnelPoint } from '../funnel/find-point.ts'
import { findLifecyclePoint } from '../lifecycle/find-point.ts'
import { findPathsPoint } from '../paths/find-point.ts'
import type { ActorPoint } from '../question/actors.ts'
import type { Ask } from '../question/questions.ts'
import { findRetentionPoint } from '../retention/find-point.ts'
import type { ActorsQuery, InsightActorsQuery } from '../schema/actors-query.ts'
import { findStickinessPoint } from '../stickiness/find-point.ts'
import { findTrendPoint } from '../trends/find-point.ts'

type Source = NonNullable<ActorsQuery['source']>

/** Finds the point of an insight that a query of actors names. Throws `FilterError`; rejects with `QueryError`. */
export const findPoint = async (source: Source, context: FilterContext, ask: Ask): Promise<ActorPoint> => {
  if (source.kind === 'FunnelsActorsQuery') return findFunnelPoint(source, context, ask)
  const insight = source.source
  switch (insight.kind) {
    case 'TrendsQuery':
      refuse(source, ['status', 'interval'], 'a trend has no such points')
      return findTrendPoint(insight, source, context, ask)
    case 'StickinessQuery':
      refuse(source, ['status', 'interval', 'breakdown'], 'stickiness has no such points')
      return findStickinessPoint(insight, source, context, ask)
    case 'LifecycleQuery':
      refuse(source, ['interval', 'breakdown', 'compare', 'series'], 'a lifecycle has no such points')
      return findLifecyclePoint(insight, source, context, ask)
    case 'PathsQuery':
      refuse(
        source,
        ['status', 'day', 'interval', 'breakdown', 'compare', 'series'],
        'keys in "pathsFilter" name points of paths',
      )
      return findPathsPoint(insight, context, ask)
    default:
      refuse(source, ['status', 'day', 'breakdown', 'compare', 'series'], 'retention has no such points')
      return findRetentionPoint(insight, source, context)
  }
}

/** Throws `FilterError` for a field that would be ignored. A first series is meant by itself. */
const refuse = (source: InsightActorsQuery, fields: readonly (keyof InsightActorsQuery)[], reason: string): void => {
  const field = fields.find((name) => (source[name] ?? null) !== null && !(name === 'series' && source[name] === 0))
  if (field !== undefined) throw new FilterError(`query.source.${field}`, `must be missing: ${reason}`)
}
