import type { JsonObject } from '../../../wire/json.ts'
import type { Author, Authorship } from './author.ts'
import { AUTHORSHIP_COLUMNS, toChangedAuthorship, toNewAuthorship } from './author.ts'
import { createShortId } from './create-short-id.ts'
import type { Metadata } from './open.ts'
import { containsText } from './contains-text.ts'
import type { Page, PageOf } from './stored-definition.ts'

/** The fields of an insight that clients set. */
export interface InsightFields {
  /** Empty for none. */
  readonly name: string
  /** Null if it follows from the query. */
  readonly derivedName: string | null
  readonly description: string
  /** What is asked, as the client sent it; null for nothing yet. */
  readonly query: JsonObject | null
  readonly order: number | null
  readonly tags: readonly string[]
  readonly favorited: boolean
  /** A deleted insight is kept, but not listed. */
  readonly deleted: boolean
}

/** A saved question. */
export interface Insight extends InsightFields, Authorship {
  /** Identifies the insight in links: random, and never used again. */
  readonly shortId: string
}

/** The columns by which a list of insights can be ordered. */
export const INSIGHT_ORDERS = ['last_modified_at', 'created_at', 'name', 'id'] as const
export type InsightOrder = (typeof INSIGHT_ORDERS)[number]

/** Selects and orders a list of insights. */
export interface InsightSelection {
  readonly createdBy?: number | undefined
  readonly shortId?: string | undefined
  readonly favorited?: boolean | undefined
  /** Id of a dashboard that has a tile with it. */
  readonly dashboardId?: number | undefined
  /** Part of the name or the description, in any case (of ASCII letters). */
  readonly search?: string | undefined
  readonly order: InsightOrder
  readonly isDescending: boolean
}

const COLUMNS = [
  ...AUTHORSHIP_COLUMNS,
  'short_id as shortId',
  'name',
  'derived_name as derivedName',
  'description',
  'query',
  'sort_order as order',
  'tags',
  'favorited',
  'deleted',
] as const

interface InsightRow extends Omit<Insight, 'query' | 'tags' | 'favorited' | 'deleted'> {
  readonly query: string | null
  readonly tags: string
  readonly favorited: number
  readonly deleted: number
}

const parseRow = (row: InsightRow): Insight => ({
  ...row,
  query: row.query === null ? null : JSON.parse(row.query),
  tags: JSON.parse(row.tags),
  favorited: row.favorited === 1,
  deleted: row.deleted === 1,
})

const toColumns = ({ name, derivedName, description, query, order, tags, favorited, deleted }: InsightFields) => ({
  name,
  derived_name: derivedName,
  description,
  query: query === null ? null : JSON.stringify(query),
  sort_order: order,
  tags: JSON.stringify(tags),
  favorited: favorited ? 1 : 0,
  deleted: deleted ? 1 : 0,
})

const selectInsights = (metadata: Metadata, projectId: number) =>
  metadata.selectFrom('insights').where('project_id', '=', projectId)

/** One page of the insights of a project that match a selection, without deleted ones. */
export const listInsightsPage = async (
  metadata: Metadata,
  projectId: number,
  { createdBy, shortId, favorited, dashboardId, search, order, isDescending }: InsightSelection,
  { limit, offset }: Page,
): Promise<PageOf<Insight>> => {
  let insights = selectInsights(metadata, projectId).where('deleted', '=', 0)
  if (createdBy !== undefined) insights = insights.where('created_by', '=', createdBy)
  if (shortId !== undefined) insights = insights.where('short_id', '=', shortId)
  if (favorited !== undefined) insights = insights.where('favorited', '=', favorited ? 1 : 0)
  if (dashboardId !== undefined)
    insights = insights.where('id', 'in', (query) =>
      query
        .selectFrom('dashboard_tiles')
        .select('insight_id')
        .where('dashboard_id', '=', dashboardId)
        .where('deleted', '=', 0)
        .where('insight_id', 'is not', null)
        .$castTo<{ insight_id: number }>(),
    )
  if (search !== undefined)
    insights = insights.where((row) => containsText(row, ['name', 'derived_name', 'description'], search))
  const { count } = await insights.select((row) => row.fn.countAll().as('count')).executeTakeFirstOrThrow()
  const direction = isDescending ? 'desc' : 'asc'
  const rows = insights.select(COLUMNS).orderBy(order, direction).orderBy('id', direction).limit(limit).offset(offset)
  return { count: Number(count), items: (await rows.execute()).map(parseRow) }
}

/** An insight by its id or its short id, even if it is deleted. */
export const findInsight = async (
  metadata: Metadata,
  projectId: number,
  id: number | string,
): Promise<Insight | undefined> => {
  const row = await selectInsights(metadata, projectId)
    .where(typeof id === 'number' ? 'id' : 'short_id', '=', id)
    .select(COLUMNS)
    .executeTakeFirst()
  return row && parseRow(row)
}

/** The insights of a project with these ids, also deleted ones. */
export const loadInsights = async (
  metadata: Metadata,
  projectId: number,
  ids: readonly number[],
): Promise<ReadonlyMap<number, Insight>> => {
  if (ids.length === 0) return new Map()
  const rows = await selectInsights(metadata, projectId).where('id', 'in', ids).select(COLUMNS).execute()
  return new Map(rows.map((row) => [row.id, parseRow(row)]))
}

export const createInsight = async (
  metadata: Metadata,
  projectId: number,
  fields: InsightFields,
  author: Author,
): Promise<Insight> => {
  const row = await metadata
    .insertInto('insights')
    .values({ project_id: projectId, short_id: createShortId(), ...toColumns(fields), ...toNewAuthorship(author) })
    .returning(COLUMNS)
    .executeTakeFirstOrThrow()
  return parseRow(row)
}

/** Replaces the fields of an insight. Call it inside a transaction. */
export const updateInsight = async (
  transaction: Metadata,
  id: number,
  fields: InsightFields,
  author: Author,
): Promise<Insight> => {
  const row = await transaction
    .updateTable('insights')
    .set({ ...toColumns(fields), ...toChangedAuthorship(author) })
    .where('id', '=', id)
    .returning(COLUMNS)
    .executeTakeFirstOrThrow()
  return parseRow(row)
}
