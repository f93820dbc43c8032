import { isDeepStrictEqual } from 'node:util'
import * as Type from 'typebox'
import type { Static } from 'typebox'
import type { JsonObject } from '../../wire/json.ts'
import { overrideFilters } from '../insight/query/override-filters.ts'
import { patch } from '../patch.ts'
import { listTilesOfInsights, loadShownTiles } from '../store/metadata/dashboard-tiles.ts'
import {
  createDashboard,
  findDashboard,
  listDashboardsPage,
  noteDashboardView,
  updateDashboard,
} from '../store/metadata/dashboards.ts'
import type { Dashboard, DashboardFields } from '../store/metadata/dashboards.ts'
import type { Insight } from '../store/metadata/insights.ts'
import type { Metadata } from '../store/metadata/open.ts'
import type { User } from '../store/metadata/users.ts'
import type { ResourceOptions } from './add-resource.ts'
import { loadAuthors } from './author.ts'
import { checkFilters } from './check-filters.ts'
import { createAnswerReader } from './create-answer-reader.ts'
import { copyTiles, saveTiles } from './dashboard-tiles.ts'
import type { InsightAnswers } from './insight-answers.ts'
import { toInsightBody } from './insight-body.ts'
import type { QueryStatusBody } from './query-status-body.ts'
import type { SavedRequest, SavedResource } from './saved-resource.ts'
import {
  DashboardChange,
  DashboardInput,
  DashboardListQuery,
  DashboardSchema,
  DashboardSummarySchema,
} from './schema/dashboard.ts'
import { Refresh } from './schema/insight.ts'
import { toUserOrNull } from './user-body.ts'
import { toIsoTime, toIsoTimeOrNull } from '../to-iso-time.ts'

/** Dependencies of the dashboards. */
export interface DashboardsOptions extends ResourceOptions {
  readonly answers: InsightAnswers
}

type DashboardBody = Static<typeof DashboardInput>

/** A new dashboard before the fields of its body are applied. */
const EMPTY_DASHBOARD: DashboardFields = {
  name: '',
  description: '',
  pinned: false,
  tags: [],
  filters: {},
  deleted: false,
}

const applyBody = (stored: DashboardFields, body: DashboardBody): DashboardFields => ({
  name: patch(body.name, stored.name, ''),
  description: patch(body.description, stored.description, ''),
  pinned: patch(body.pinned, stored.pinned),
  tags: [...new Set(patch(body.tags, stored.tags))],
  filters: patch(body.filters as JsonObject | null | undefined, stored.filters, {}),
  deleted: patch(body.deleted, stored.deleted),
})

/** The error of the query of a tile; null for none. */
const toTileError = (
  status: Pick<QueryStatusBody, 'error' | 'error_code' | 'error_message'> | null | undefined,
): { type: string; message: string } | null =>
  status?.error === true ? { type: status.error_code ?? 'query_failed', message: status.error_message ?? '' } : null

const toSummary = (
  dashboard: Dashboard,
  projectId: number,
  users: ReadonlyMap<number, User>,
): Static<typeof DashboardSummarySchema> => ({
  id: dashboard.id,
  name: dashboard.name,
  description: dashboard.description,
  pinned: dashboard.pinned,
  tags: [...dashboard.tags],
  filters: { ...dashboard.filters },
  persisted_filters: { ...dashboard.filters },
  deleted: dashboard.deleted,
  creation_mode: dashboard.creationMode,
  is_shared: false,
  team_id: projectId,
  created_at: toIsoTime(dashboard.createdAt),
  created_by: toUserOrNull(users, dashboard.createdBy),
  last_modified_at: toIsoTime(dashboard.lastModifiedAt),
  last_modified_by: toUserOrNull(users, dashboard.lastModifiedBy),
  last_viewed_at: toIsoTimeOrNull(dashboard.lastViewedAt),
  version: dashboard.version,
})

/** Dashboards: pages of insights and texts. */
export const createDashboards = ({
  metadata,
  answers,
  now,
}: DashboardsOptions): SavedResource<Dashboard, DashboardFields, typeof DashboardInput, typeof DashboardListQuery> => {
  const checkNewFilters = async (transaction: Metadata, projectId: number, { filters }: DashboardBody) => {
    if (filters !== undefined && filters !== null)
      await checkFilters(transaction, filters as JsonObject, { projectId, name: 'filters', now: now() })
  }
  const toBody = async (request: SavedRequest, dashboard: Dashboard) => {
    const { projectId } = request
    const readAnswer = createAnswerReader(answers, 'dashboard:read', request)
    const tiles = await loadShownTiles(metadata, projectId, dashboard.id)
    const insights = tiles.flatMap(({ insight }) => insight ?? [])
    const allTiles = await listTilesOfInsights(
      metadata,
      insights.map(({ id }) => id),
    )
    const users = await loadAuthors(metadata, [dashboard, ...insights])
    const toInsight = async (insight: Insight) => {
      const answer = await readAnswer(insight.query && overrideFilters(insight.query, dashboard.filters))
      return toInsightBody(insight, { answer, tiles: allTiles.filter((each) => each.insightId === insight.id), users })
    }
    const bodies = []
    // One after the other: a project runs few queries at once.
    for (const { id, insight, text, layouts, color, order, deleted } of tiles) {
      const insightBody = insight && (await toInsight(insight))
      bodies.push({
        id,
        insight: insightBody,
        text: text === null ? null : { body: text },
        layouts: { ...layouts },
        color,
        order,
        deleted,
        last_refresh: insightBody?.last_refresh ?? null,
        is_cached: insightBody?.is_cached ?? false,
        error: toTileError(insightBody?.query_status),
      })
    }
    return { ...toSummary(dashboard, projectId, users), tiles: bodies }
  }
  return {
    path: 'dashboards',
    scope: 'dashboard',
    description: {
      item: 'a dashboard',
      id: { name: 'id', schema: Type.Integer({ description: 'The `id` of the dashboard.' }) },
      schema: DashboardSchema,
      listedSchema: DashboardSummarySchema,
      input: DashboardInput,
      change: DashboardChange,
      listQuery: DashboardListQuery,
      readQuery: Type.Object({ refresh: Refresh() }),
      summaries: {
        list: 'Lists the dashboards of a project, in pages, without deleted ones and without tiles',
        read: 'Reads a dashboard with the answers of its insights, also a deleted one',
        change: 'Changes the fields and tiles of a dashboard that the body contains',
      },
      changeOperation: 'partial_update',
    },
    async list({ projectId }, selection, page) {
      const { count, items } = await listDashboardsPage(metadata, projectId, selection, page)
      const users = await loadAuthors(metadata, items)
      return { count, items: items.map((dashboard) => toSummary(dashboard, projectId, users)) }
    },
    find: (from, projectId, id) => findDashboard(from, projectId, Number(id)),
    async create({ transaction, projectId, body, author }) {
      const { use_dashboard: sourceId = null } = body
      await checkNewFilters(transaction, projectId, body)
      const creationMode = sourceId === null ? 'default' : 'duplicate'
      const fields = { ...applyBody(EMPTY_DASHBOARD, body), creationMode } as const
      const created = await createDashboard(transaction, projectId, fields, author)
      if (sourceId !== null) await copyTiles(transaction, projectId, sourceId, created.id)
      await saveTiles(transaction, projectId, created.id, body.tiles ?? [])
      return created
    },
    async apply({ transaction, projectId, body }, stored) {
      // Clients send back what they have read, which may be of a cohort that was deleted since.
      if (!isDeepStrictEqual(body.filters, stored.filters)) await checkNewFilters(transaction, projectId, body)
      const hasOtherChanges = await saveTiles(transaction, projectId, stored.id, body.tiles ?? [])
      return { fields: applyBody(stored, body), hasOtherChanges }
    },
    update: updateDashboard,
    onRead: ({ id }) => noteDashboardView(metadata, id, now()),
    toBody,
  }
}
