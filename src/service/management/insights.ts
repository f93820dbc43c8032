import { isDeepStrictEqual } from 'node:util'
import type { FastifyReply, FastifyRequest } from 'fastify'
import * as Type from 'typebox'
import type { Static } from 'typebox'
import type { JsonObject } from '../../wire/json.ts'
import { changeAuthorized } from '../auth/authorize.ts'
import { requireScope } from '../auth/project-access.ts'
import { getCaller, getProject } from '../auth/request-access.ts'
import { createLeaveSignal } from '../http/leave-signal.ts'
import { requestUrl } from '../http/request-url.ts'
import { notFound } from '../http-error.ts'
import { hasScope } from '../permission/scopes.ts'
import { ListOf, PageQuery } from '../schema/list-of.ts'
import { ProjectParams } from '../schema/project-params.ts'
import { refTo } from '../schema/types.ts'
import { listTilesOfInsights } from '../store/metadata/dashboard-tiles.ts'
import { createInsight, findInsight, listInsightsPage, updateInsight } from '../store/metadata/insights.ts'
import type { Insight, InsightFields, InsightOrder } from '../store/metadata/insights.ts'
import type { Metadata } from '../store/metadata/open.ts'
import type { Api } from './api.ts'
import { authorOf, loadAuthors } from './author.ts'
import { checkVersion } from './change.ts'
import { placeInsight } from './dashboard-tiles.ts'
import { checkQuery, checkQuerySize } from './create-query-work.ts'
import { readNoAnswer } from './insight-answers.ts'
import type { InsightAnswers } from './insight-answers.ts'
import { toInsightBody } from './insight-body.ts'
import { readPage, toListBody } from './page.ts'
import { refuseDelete } from './refuse-delete.ts'
import { parseQuery } from './parse-query-body.ts'
import { InsightChange, InsightInput, InsightListQuery, InsightSchema, Refresh } from './schema/insight.ts'
import { parseNumericId } from '../parse-numeric-id.ts'

/** Dependencies of the insights. */
export interface InsightsOptions {
  readonly metadata: Metadata
  readonly answers: InsightAnswers
  /** Milliseconds since 1970. */
  readonly now: () => number
}

const PATH = '/insights/'
const TAGS = ['insights']
const READ = { access: { kind: 'personalKey', scope: 'insight:read' } } as const
const WRITE = { access: { kind: 'personalKey', scope: 'insight:write' } } as const

/** A new insight before the fields of its body are applied. */
const EMPTY_INSIGHT: InsightFields = {
  name: '',
  derivedName: null,
  description: '',
  query: null,
  order: null,
  tags: [],
  favorited: false,
  deleted: false,
}

const applyBody = (stored: InsightFields, body: Static<typeof InsightInput>): InsightFields => ({
  name: body.name === undefined ? stored.name : (body.name ?? ''),
  derivedName: body.derived_name === undefined ? stored.derivedName : body.derived_name || null,
  description: body.description === undefined ? stored.description : (body.description ?? ''),
  query: body.query === undefined ? stored.query : (body.query as JsonObject | null),
  order: body.order === undefined ? stored.order : body.order,
  tags: body.tags === undefined ? stored.tags : [...new Set(body.tags)],
  favorited: body.favorited ?? stored.favorited,
  deleted: body.deleted ?? stored.deleted,
})

/** Throws `HttpError` for a query that cannot be asked. */
const checkBody = async ({ query }: Static<typeof InsightInput>): Promise<void> => {
  if (query === undefined || query === null) return
  checkQuerySize(query as JsonObject)
  await checkQuery(parseQuery(query as JsonObject))
}

/** Reads an insight by the id in a path: its number, or its short id. Throws `HttpError` (404). */
const getInsight = async (metadata: Metadata, projectId: number, id: string): Promise<Insight> => {
  const insight = await findInsight(metadata, projectId, parseNumericId(id) ?? id)
  if (insight) return insight
  throw notFound(`This project has no insight with the id ${id}. GET the list to see all of them.`)
}

/** Adds the insights: saved questions, whose answers are computed when they are read and kept while they hold. */
export const addInsights = (api: Api, { metadata, answers, now }: InsightsOptions): void => {
  const params = Type.Object(ProjectParams)
  const itemParams = Type.Object({
    ...ProjectParams,
    id: Type.String({ description: 'The `id` or the `short_id` of the insight.' }),
  })
  const Item = refTo(InsightSchema, { description: 'The insight.' })
  const projectIdOf = (request: FastifyRequest): number => getProject(request).project.id

  const place = async (
    transaction: Metadata,
    request: FastifyRequest,
    insightId: number,
    dashboardIds: readonly number[] | undefined,
  ): Promise<boolean> =>
    dashboardIds !== undefined &&
    placeInsight(transaction, {
      projectId: projectIdOf(request),
      insightId,
      dashboardIds,
      author: authorOf(request, now()),
      requireScope: (scope) => requireScope(getCaller(request).key, scope),
    })

  const toBodies = async (
    request: FastifyRequest,
    insights: readonly Insight[],
    reply: FastifyReply,
    refresh: string | undefined,
  ) => {
    const projectId = projectIdOf(request)
    // A change is answered with the insight, and with its answer only to those who may read it.
    const readAnswer = hasScope(getCaller(request).key.scopes, 'insight:read')
      ? answers.createReader({ projectId, refresh, signal: createLeaveSignal(reply) })
      : readNoAnswer
    const users = await loadAuthors(metadata, insights)
    const tiles = await listTilesOfInsights(
      metadata,
      insights.map(({ id }) => id),
    )
    const bodies = []
    // One after the other: a project runs few queries at once.
    for (const insight of insights) {
      const answer = await readAnswer(insight.query)
      const ownTiles = tiles.filter(({ insightId }) => insightId === insight.id)
      bodies.push(toInsightBody(insight, { answer, tiles: ownTiles, users }))
    }
    return bodies
  }
  const toBody = async (request: FastifyRequest, insight: Insight, reply: FastifyReply, refresh?: string) =>
    (await toBodies(request, [insight], reply, refresh))[0]!

  api.get(
    PATH,
    {
      config: READ,
      schema: {
        operationId: 'insights_list',
        summary: 'Lists the insights of a project, in pages, without deleted ones',
        tags: TAGS,
        params,
        querystring: Type.Object({ ...PageQuery, ...InsightListQuery }),
        response: { 200: ListOf(refTo(InsightSchema)) },
      },
    },
    async (request, reply) => {
      const projectId = projectIdOf(request)
      const { limit, offset, order = '-last_modified_at', refresh, ...selection } = request.query
      const page = readPage({ ...(limit !== undefined && { limit }), ...(offset !== undefined && { offset }) })
      const { count, items } = await listInsightsPage(
        metadata,
        projectId,
        {
          createdBy: selection.created_by,
          shortId: selection.short_id,
          favorited: selection.favorited,
          dashboardId: selection.dashboard,
          search: selection.search,
          order: order.replace('-', '') as InsightOrder,
          isDescending: order.startsWith('-'),
        },
        page,
      )
      const bodies = await toBodies(request, items, reply, refresh)
      return toListBody({ count, items: bodies }, page, requestUrl(request))
    },
  )

  api.post(
    PATH,
    {
      config: WRITE,
      schema: {
        operationId: 'insights_create',
        summary: 'Creates an insight',
        tags: TAGS,
        params,
        body: InsightInput,
        response: { 201: Item },
      },
    },
    async (request, reply) => {
      const projectId = projectIdOf(request)
      const { body } = request
      await checkBody(body)
      const insight = await changeAuthorized(metadata, request, now, async (transaction) => {
        const created = await createInsight(
          transaction,
          projectId,
          applyBody(EMPTY_INSIGHT, body),
          authorOf(request, now()),
        )
        await place(transaction, request, created.id, body.dashboards)
        return created
      })
      return reply.status(201).send(await toBody(request, insight, reply))
    },
  )

  api.get(
    `${PATH}:id/`,
    {
      config: READ,
      schema: {
        operationId: 'insights_retrieve',
        summary: 'Reads an insight with its answer, also a deleted one',
        tags: TAGS,
        params: itemParams,
        querystring: Type.Object({ refresh: Refresh() }),
        response: { 200: Item },
      },
    },
    async (request, reply) => {
      const projectId = projectIdOf(request)
      const insight = await getInsight(metadata, projectId, request.params.id)
      return toBody(request, insight, reply, request.query.refresh)
    },
  )

  api.patch(
    `${PATH}:id/`,
    {
      config: WRITE,
      schema: {
        operationId: 'insights_partial_update',
        summary: 'Changes the fields of an insight that the body contains; also deletes and restores it',
        tags: TAGS,
        params: itemParams,
        body: InsightChange,
        response: { 200: Item },
      },
    },
    async (request, reply) => {
      const projectId = projectIdOf(request)
      const { body } = request
      await checkBody(body)
      const insight = await changeAuthorized(metadata, request, now, async (transaction) => {
        const stored = await getInsight(transaction, projectId, request.params.id)
        checkVersion(stored, body)
        const hasMoved = await place(transaction, request, stored.id, body.dashboards)
        const fields = applyBody(stored, body)
        const hasChanged = hasMoved || !isDeepStrictEqual({ ...stored, ...fields }, stored)
        return hasChanged ? updateInsight(transaction, stored.id, fields, authorOf(request, now())) : stored
      })
      return toBody(request, insight, reply)
    },
  )

  refuseDelete(api, {
    path: `${PATH}:id/`,
    params: itemParams,
    access: WRITE.access,
    operationId: 'insights_destroy',
    item: 'an insight',
    tags: TAGS,
  })
}
