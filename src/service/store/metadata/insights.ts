import type { JsonObject } from '../../../wire/json.ts'
import { createShortId } from './create-short-id.ts'
import type { Metadata } from './open.ts'
import { containsText } from './contains-text.ts'
import { loadPage } from './page.ts'
import type { Page, PageOf } from './page.ts'
import { pickDefined } from './pick-defined.ts'
import { createSavedItems, SAVED_COLUMNS } from './saved-items.ts'
import type { Author, SavedItem } from './saved-items.ts'

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
export interface Insight extends InsightFields, SavedItem {
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
  ...SAVED_COLUMNS,
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

const insights = createSavedItems({ table: 'insights', columns: COLUMNS, parseRow })

/** One page of the insights of a project that match a selection, without deleted ones. */
export const listInsightsPage = (
  metadata: Metadata,
  projectId: number,
  { createdBy, shortId, favorited, dashboardId, search, order, isDescending }: InsightSelection,
  page: Page,
): Promise<PageOf<Insight>> => {
  const values = pickDefined({
    created_by: createdBy,
    short_id: shortId,
    favorited: favorited === undefined ? undefined : Number(favorited),
  })
  let rows = metadata.selectFrom('insights').where((row) => row.and({ project_id: projectId, deleted: 0, ...values }))
  if (dashboardId !== undefined)
    rows = rows.where('id', 'in', (query) =>
      query
        .selectFrom('dashboard_tiles')
        .select('insight_id')
        .where('dashboard_id', '=', dashboardId)
        .where('deleted', '=', 0)
        .where('insight_id', 'is not', null)
        .$castTo<{ insight_id: number }>(),
    )
  if (search !== undefined)
    rows = rows.where((row) => containsText(metadata, row, ['name', 'derived_name', 'description'], search))
  const direction = isDescending ? 'desc' : 'asc'
  return loadPage(rows.select(COLUMNS).orderBy(order, direction).orderBy('id', direction), page, parseRow)
}

/** An insight by its id or its short id, even if it is deleted. */
export const findInsight = (metadata: Metadata, projectId: number, id: number | string): Promise<Insight | undefined> =>
  insights.find(metadata, projectId, typeof id === 'number' ? 'id' : 'short_id', id)

/** The insights of a project with these ids, also deleted ones. */
export const loadInsights = async (
  metadata: Metadata,
  projectId: number,
  ids: readonly number[],
): Promise<ReadonlyMap<number, Insight>> => {
  if (ids.length === 0) return new Map()
  const rows = await metadata
    .selectFrom('insights')
    .where('project_id', '=', projectId)
    .where('id', 'in', ids)
    .select(COLUMNS)
    .execute()
  return new Map(rows.map((row) => [row.id, parseRow(row)]))
}

export const createInsight = (
  metadata: Metadata,
  projectId: number,
  fields: InsightFields,
  author: Author,
): Promise<Insight> =>
  insights.create(metadata, { ...toColumns(fields), project_id: projectId, short_id: createShortId() }, author)

/** Replaces the fields of an insight. Call it inside a transaction. */
export const updateInsight = (
  transaction: Metadata,
  id: number,
  fields: InsightFields,
  author: Author,
): Promise<Insight> => insights.update(transaction, id, toColumns(fields), author)
