import { isRecord } from '../../wire/json.ts'
import type { JsonObject } from '../../wire/json.ts'
import { deriveInsightName } from '../insight/derive-name.ts'
import { overrideFilters } from '../insight/query/override-filters.ts'
import { loadShownTiles } from '../store/metadata/dashboard-tiles.ts'
import { findDashboard } from '../store/metadata/dashboards.ts'
import type { Export } from '../store/metadata/exports.ts'
import { findInsight } from '../store/metadata/insights.ts'
import type { Insight } from '../store/metadata/insights.ts'
import type { Metadata } from '../store/metadata/open.ts'
import { ExportError } from './export-error.ts'

/** What an export shows: the answer to one query, or a dashboard. */
export type ExportSubject =
  | ({ readonly kind: 'query' } & QueryPart)
  | { readonly kind: 'dashboard'; readonly title: string; readonly parts: readonly DashboardPart[] }

/** A query with the name of its insight; null without one. */
export interface QueryPart {
  readonly title: string | null
  /** As it was saved: a node around it may tell how clients show the answer. */
  readonly query: JsonObject
}

/** A part of a dashboard, in their order. */
export type DashboardPart = ({ readonly kind: 'query' } & QueryPart) | { readonly kind: 'text'; readonly text: string }

/** The name of an insight; null without one. */
export const nameInsight = ({ name, derivedName, query }: Insight): string | null =>
  name || derivedName || (query && deriveInsightName(query))

/** Reads what an export shows, as it is now. Rejects with `ExportError`. */
export const loadSubject = async (
  metadata: Metadata,
  { projectId, insightId, dashboardId, context }: Export,
): Promise<ExportSubject> => {
  if (dashboardId !== null) return loadDashboard(metadata, projectId, dashboardId)
  if (insightId !== null) {
    const insight = await findInsight(metadata, projectId, insightId)
    if (!insight?.query || insight.deleted) throw new ExportError('The insight was deleted, or has no query.')
    return { kind: 'query', title: nameInsight(insight), query: insight.query }
  }
  const { source } = context
  // The request that created the export was checked.
  return { kind: 'query', title: null, query: isRecord(source) ? source : {} }
}

const loadDashboard = async (metadata: Metadata, projectId: number, id: number): Promise<ExportSubject> => {
  const dashboard = await findDashboard(metadata, projectId, id)
  if (dashboard === undefined || dashboard.deleted) throw new ExportError('The dashboard was deleted.')
  const parts = (await loadShownTiles(metadata, projectId, id)).flatMap(
    ({ insight, text }): readonly DashboardPart[] => {
      if (insight === null) return text ? [{ kind: 'text', text }] : []
      if (!insight.query) return []
      return [{ kind: 'query', title: nameInsight(insight), query: overrideFilters(insight.query, dashboard.filters) }]
    },
  )
  return { kind: 'dashboard', title: dashboard.name, parts }
}
