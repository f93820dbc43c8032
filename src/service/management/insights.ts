import { isDeepStrictEqual } from 'node:util'
import * as Type from 'typebox'
import type { Static } from 'typebox'
import type { JsonObject } from '../../wire/json.ts'
import { parseNumericId } from '../parse-numeric-id.ts'
import { patch } from '../patch.ts'
import type { SqlSyntax } from '../sql/sql-syntax.ts'
import { listTilesOfInsights } from '../store/metadata/dashboard-tiles.ts'
import { createInsight, findInsight, listInsightsPage, updateInsight } from '../store/metadata/insights.ts'
import type { Insight, InsightFields } from '../store/metadata/insights.ts'
import type { ResourceOptions } from './add-resource.ts'
import { loadAuthors } from './author.ts'
import { createAnswerReader } from './create-answer-reader.ts'
import { placeInsight } from './dashboard-tiles.ts'
import { checkNewQuery } from './check-new-query.ts'
import { checkQuerySize } from './create-query-work.ts'
import type { InsightAnswers } from './insight-answers.ts'
import { toInsightBody } from './insight-body.ts'
import { parseOrder } from './parse-order.ts'
import type { SavedChange, SavedRequest, SavedResource } from './saved-resource.ts'
import { InsightChange, InsightInput, InsightListQuery, InsightSchema, Refresh } from './schema/insight.ts'

/** Dependencies of the insights. */
export interface InsightsOptions extends ResourceOptions {
  readonly answers: InsightAnswers
  /** That of the event stores. */
  readonly syntax: SqlSyntax
}

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
  name: patch(body.name, stored.name, ''),
  derivedName: patch(body.derived_name, stored.derivedName, null) || null,
  description: patch(body.description, stored.description, ''),
  query: patch(body.query as JsonObject | null | undefined, stored.query, null),
  order: patch(body.order, stored.order, null),
  tags: [...new Set(patch(body.tags, stored.tags))],
  favorited: patch(body.favorited, stored.favorited),
  deleted: patch(body.deleted, stored.deleted),
})

/**
 * Throws `HttpError` (400) for a new query that cannot be asked. A stored one that is sent back may be of an earlier version, which
 * accepted it.
 */
const checkBody = async (
  { query }: Static<typeof InsightInput>,
  stored: InsightFields,
  syntax: SqlSyntax,
): Promise<void> => {
  if (query === undefined || query === null || isDeepStrictEqual(query, stored.query)) return
  checkQuerySize(query as JsonObject)
  await checkNewQuery(query as JsonObject, syntax)
}

/** Shows an insight on the dashboards of the body; returns whether that has changed any of them. */
const place = async (
  { transaction, projectId, body, author, requireScope }: SavedChange<typeof InsightInput>,
  insightId: number,
): Promise<boolean> =>
  body.dashboards !== undefined &&
  placeInsight(transaction, { projectId, insightId, dashboardIds: body.dashboards, author, requireScope })

/** Insights: saved questions, whose answers are computed when they are read and kept while they hold. */
export const createInsights = ({
  metadata,
  answers,
  syntax,
}: InsightsOptions): SavedResource<Insight, InsightFields, typeof InsightInput, typeof InsightListQuery> => {
  const toBodies = async (request: SavedRequest, insights: readonly Insight[]) => {
    const readAnswer = createAnswerReader(answers, 'insight:read', request)
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
  return {
    path: 'insights',
    scope: 'insight',
    description: {
      item: 'an insight',
      id: { name: 'id', schema: Type.String({ description: 'The `id` or the `short_id` of the insight.' }) },
      schema: InsightSchema,
      listedSchema: InsightSchema,
      input: InsightInput,
      change: InsightChange,
      listQuery: InsightListQuery,
      readQuery: Type.Object({ refresh: Refresh() }),
      summaries: {
        list: 'Lists the insights of a project, in pages, without deleted ones',
        read: 'Reads an insight with its answer, also a deleted one',
        change: 'Changes the fields of an insight that the body contains',
      },
      changeOperation: 'partial_update',
    },
    async list(request, { order = '-last_modified_at', ...selection }, page) {
      const { count, items } = await listInsightsPage(
        metadata,
        request.projectId,
        {
          createdBy: selection.created_by,
          shortId: selection.short_id,
          favorited: selection.favorited,
          dashboardId: selection.dashboard,
          search: selection.search,
          ...parseOrder(order),
        },
        page,
      )
      return { count, items: await toBodies(request, items) }
    },
    find: (from, projectId, id) => findInsight(from, projectId, parseNumericId(String(id)) ?? String(id)),
    async create(change) {
      const { transaction, projectId, body, author } = change
      await checkBody(body, EMPTY_INSIGHT, syntax)
      const created = await createInsight(transaction, projectId, applyBody(EMPTY_INSIGHT, body), author)
      await place(change, created.id)
      return created
    },
    async apply(change, stored) {
      await checkBody(change.body, stored, syntax)
      return { hasOtherChanges: await place(change, stored.id), fields: applyBody(stored, change.body) }
    },
    update: updateInsight,
    toBody: async (request, insight) => (await toBodies(request, [insight]))[0]!,
  }
}
