import { isDeepStrictEqual } from 'node:util'
import type { FastifyReply, FastifyRequest } from 'fastify'
import * as Type from 'typebox'
import type { Static } from 'typebox'
import type { JsonObject } from '../../wire/json.ts'
import { changeAuthorized } from '../auth/authorize.ts'
import { getCaller, getProject } from '../auth/request-access.ts'
import { createLeaveSignal } from '../http/leave-signal.ts'
import { requestUrl } from '../http/request-url.ts'
import { notFound } from '../http-error.ts'
import { loadFilterContext } from '../insight/filter/load-filter-context.ts'
import { checkDashboardFilters, overrideFilters } from '../insight/query/override-filters.ts'
import { hasScope } from '../permission/scopes.ts'
import { ListOf, PageQuery } from '../schema/list-of.ts'
import { ProjectParams } from '../schema/project-params.ts'
import { refTo } from '../schema/types.ts'
import { listTiles, listTilesOfInsights } from '../store/metadata/dashboard-tiles.ts'
import type { Tile } from '../store/metadata/dashboard-tiles.ts'
import {
  createDashboard,
  findDashboard,
  listDashboardsPage,
  noteDashboardView,
  updateDashboard,
} from '../store/metadata/dashboards.ts'
import type { Dashboard, DashboardFields } from '../store/metadata/dashboards.ts'
import { loadInsights } from '../store/metadata/insights.ts'
import type { Insight } from '../store/metadata/insights.ts'
import type { Metadata } from '../store/metadata/open.ts'
import type { User } from '../store/metadata/users.ts'
import type { Api } from './api.ts'
import { authorOf, loadAuthors } from './author.ts'
import { checkVersion } from './change.ts'
import { checkQuerySize } from './create-query-work.ts'
import { copyTiles, saveTiles } from './dashboard-tiles.ts'
import { readNoAnswer } from './insight-answers.ts'
import type { InsightAnswers } from './insight-answers.ts'
import { parseRequestFilters } from './filter-http-error.ts'
import { toInsightBody } from './insight-body.ts'
import { readPage, toListBody } from './page.ts'
import type { QueryStatusBody } from './query-status-body.ts'
import { refuseDelete } from './refuse-delete.ts'
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
export interface DashboardsOptions {
  readonly metadata: Metadata
  readonly answers: InsightAnswers
  /** Milliseconds since 1970. */
  readonly now: () => number
}

type DashboardBody = Static<typeof DashboardInput>

const PATH = '/dashboards/'
const TAGS = ['dashboards']
const READ = { access: { kind: 'personalKey', scope: 'dashboard:read' } } as const
const WRITE = { access: { kind: 'personalKey', scope: 'dashboard:write' } } as const

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
  name: body.name === undefined ? stored.name : (body.name ?? ''),
  description: body.description === undefined ? stored.description : (body.description ?? ''),
  pinned: body.pinned ?? stored.pinned,
  tags: body.tags === undefined ? stored.tags : [...new Set(body.tags)],
  filters: body.filters === undefined ? stored.filters : ((body.filters ?? {}) as JsonObject),
  deleted: body.deleted ?? stored.deleted,
})

/** Throws `HttpError` (404). */
const getDashboard = async (metadata: Metadata, projectId: number, id: number): Promise<Dashboard> => {
  const dashboard = await findDashboard(metadata, projectId, id)
  if (dashboard) return dashboard
  throw notFound(`This project has no dashboard with the id ${id}. GET the list to see all of them.`)
}

/** Throws `HttpError` (400) for filters that fit no insight. */
const checkFilters = async (
  transaction: Metadata,
  projectId: number,
  { filters }: DashboardBody,
  now: number,
): Promise<void> => {
  if (filters === undefined || filters === null) return
  checkQuerySize(filters as JsonObject, 'filters')
  const context = await loadFilterContext(transaction, projectId, now)
  parseRequestFilters(() => checkDashboardFilters(filters as JsonObject, context))
}

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

/** Adds the dashboards: pages of insights and texts. */
export const addDashboards = (api: Api, { metadata, answers, now }: DashboardsOptions): void => {
  const params = Type.Object(ProjectParams)
  const itemParams = Type.Object({ ...ProjectParams, id: Type.Integer({ description: 'The `id` of the dashboard.' }) })
  const Item = refTo(DashboardSchema, { description: 'The dashboard.' })
  const projectIdOf = (request: FastifyRequest): number => getProject(request).project.id

  const toBody = async (request: FastifyRequest, dashboard: Dashboard, reply: FastifyReply, refresh?: string) => {
    const projectId = projectIdOf(request)
    // A change is answered with the dashboard, and with its answers only to those who may read them.
    const readAnswer = hasScope(getCaller(request).key.scopes, 'dashboard:read')
      ? answers.createReader({ projectId, refresh, signal: createLeaveSignal(reply) })
      : readNoAnswer
    const tiles = (await listTiles(metadata, dashboard.id)).filter(({ deleted }) => !deleted)
    const insightIds = tiles.flatMap(({ insightId }) => (insightId === null ? [] : [insightId]))
    const insights = await loadInsights(metadata, projectId, insightIds)
    const allTiles = await listTilesOfInsights(metadata, insightIds)
    const users = await loadAuthors(metadata, [dashboard, ...insights.values()])
    const toInsight = async (insight: Insight) => {
      const query = insight.query === null ? null : overrideFilters(insight.query, dashboard.filters)
      const answer = await readAnswer(query)
      return toInsightBody(insight, { answer, tiles: allTiles.filter((each) => each.insightId === insight.id), users })
    }
    const toTile = async ({ id, insightId, text, layouts, color, order, deleted }: Tile) => {
      const insight = insightId === null ? undefined : insights.get(insightId)
      const insightBody = insight === undefined ? null : await toInsight(insight)
      return {
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
      }
    }
    const bodies = []
    for (const tile of tiles) {
      // The insight of a tile may be deleted; the tile comes back with it.
      if (tile.insightId !== null && insights.get(tile.insightId)?.deleted !== false) continue
      bodies.push(await toTile(tile))
    }
    return { ...toSummary(dashboard, projectId, users), tiles: bodies }
  }

  api.get(
    PATH,
    {
      config: READ,
      schema: {
        operationId: 'dashboards_list',
        summary: 'Lists the dashboards of a project, in pages, without deleted ones and without tiles',
        tags: TAGS,
        params,
        querystring: Type.Object({ ...PageQuery, ...DashboardListQuery }),
        response: { 200: ListOf(refTo(DashboardSummarySchema)) },
      },
    },
    async (request) => {
      const projectId = projectIdOf(request)
      const { limit, offset, ...selection } = request.query
      const page = readPage({ ...(limit !== undefined && { limit }), ...(offset !== undefined && { offset }) })
      const { count, items } = await listDashboardsPage(metadata, projectId, selection, page)
      const users = await loadAuthors(metadata, items)
      const bodies = items.map((dashboard) => toSummary(dashboard, projectId, users))
      return toListBody({ count, items: bodies }, page, requestUrl(request))
    },
  )

  api.post(
    PATH,
    {
      config: WRITE,
      schema: {
        operationId: 'dashboards_create',
        summary: 'Creates a dashboard',
        tags: TAGS,
        params,
        body: DashboardInput,
        response: { 201: Item },
      },
    },
    async (request, reply) => {
      const projectId = projectIdOf(request)
      const { body } = request
      const { use_dashboard: sourceId = null } = body
      const dashboard = await changeAuthorized(metadata, request, now, async (transaction) => {
        await checkFilters(transaction, projectId, body, now())
        const creationMode = sourceId === null ? 'default' : 'duplicate'
        const fields = { ...applyBody(EMPTY_DASHBOARD, body), creationMode } as const
        const created = await createDashboard(transaction, projectId, fields, authorOf(request, now()))
        if (sourceId !== null) await copyTiles(transaction, projectId, sourceId, created.id)
        await saveTiles(transaction, projectId, created.id, body.tiles ?? [])
        return created
      })
      return reply.status(201).send(await toBody(request, dashboard, reply))
    },
  )

  api.get(
    `${PATH}:id/`,
    {
      config: READ,
      schema: {
        operationId: 'dashboards_retrieve',
        summary: 'Reads a dashboard with the answers of its insights, also a deleted one',
        tags: TAGS,
        params: itemParams,
        querystring: Type.Object({ refresh: Refresh() }),
        response: { 200: Item },
      },
    },
    async (request, reply) => {
      const projectId = projectIdOf(request)
      const dashboard = await getDashboard(metadata, projectId, request.params.id)
      await noteDashboardView(metadata, dashboard.id, now())
      return toBody(request, dashboard, reply, request.query.refresh)
    },
  )

  api.patch(
    `${PATH}:id/`,
    {
      config: WRITE,
      schema: {
        operationId: 'dashboards_partial_update',
        summary: 'Changes the fields and tiles of a dashboard that the body contains; also deletes and restores it',
        tags: TAGS,
        params: itemParams,
        body: DashboardChange,
        response: { 200: Item },
      },
    },
    async (request, reply) => {
      const projectId = projectIdOf(request)
      const { body } = request
      const dashboard = await changeAuthorized(metadata, request, now, async (transaction) => {
        const stored = await getDashboard(transaction, projectId, request.params.id)
        checkVersion(stored, body)
        // Clients send back what they have read, which may be of a cohort that was deleted since.
        if (!isDeepStrictEqual(body.filters, stored.filters)) await checkFilters(transaction, projectId, body, now())
        const hasNewTiles = await saveTiles(transaction, projectId, stored.id, body.tiles ?? [])
        const fields = applyBody(stored, body)
        const hasChanged = hasNewTiles || !isDeepStrictEqual({ ...stored, ...fields }, stored)
        return hasChanged ? updateDashboard(transaction, stored.id, fields, authorOf(request, now())) : stored
      })
      return toBody(request, dashboard, reply)
    },
  )

  refuseDelete(api, {
    path: `${PATH}:id/`,
    params: itemParams,
    access: WRITE.access,
    operationId: 'dashboards_destroy',
    item: 'a dashboard',
    tags: TAGS,
  })
}
