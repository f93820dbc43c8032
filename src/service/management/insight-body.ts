import type { Static } from 'typebox'
import { deriveInsightName } from '../insight/derive-name.ts'
import type { Tile } from '../store/metadata/dashboard-tiles.ts'
import type { Insight } from '../store/metadata/insights.ts'
import type { User } from '../store/metadata/users.ts'
import type { AnswerFields } from './insight-answers.ts'
import type { InsightSchema } from './schema/insight.ts'
import { toUserOrNull } from './user-body.ts'
import { toIsoTime } from '../to-iso-time.ts'

/** What the body of an insight has besides what is stored in it. */
export interface InsightParts {
  readonly answer: AnswerFields
  /** Of dashboards that are not deleted. */
  readonly tiles: readonly Tile[]
  /** By id; users that were removed are missing. */
  readonly users: ReadonlyMap<number, User>
}

/** An insight in the form of the management API. */
export const toInsightBody = (
  insight: Insight,
  { answer, tiles, users }: InsightParts,
): Static<typeof InsightSchema> => {
  const { query, derivedName } = insight
  const shown = tiles.filter(({ deleted }) => !deleted)
  return {
    id: insight.id,
    short_id: insight.shortId,
    name: insight.name,
    derived_name: derivedName ?? (query === null ? null : deriveInsightName(query)),
    description: insight.description,
    query: query === null ? null : { ...query },
    order: insight.order,
    tags: [...insight.tags],
    favorited: insight.favorited,
    deleted: insight.deleted,
    dashboards: [...new Set(shown.map(({ dashboardId }) => dashboardId))],
    dashboard_tiles: shown.map(({ id, dashboardId, deleted }) => ({ id, dashboard_id: dashboardId, deleted })),
    ...answer,
    created_at: toIsoTime(insight.createdAt),
    created_by: toUserOrNull(users, insight.createdBy),
    updated_at: toIsoTime(insight.lastModifiedAt),
    last_modified_at: toIsoTime(insight.lastModifiedAt),
    last_modified_by: toUserOrNull(users, insight.lastModifiedBy),
    is_sample: false,
    version: insight.version,
  }
}
