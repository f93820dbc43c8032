import type { JsonObject } from '../../../wire/json.ts'
import type { Metadata } from './open.ts'
import { loadInsights } from './insights.ts'
import type { Insight } from './insights.ts'

/** The fields of a tile. It has an insight or a text. */
export interface TileFields {
  readonly insightId: number | null
  readonly text: string | null
  /** Where it is on screens of each size, as the client sent it. */
  readonly layouts: JsonObject
  readonly color: string | null
  readonly order: number
  /** A deleted tile is kept, but not listed. */
  readonly deleted: boolean
}

/** A part of a dashboard. */
export interface Tile extends TileFields {
  readonly id: number
  readonly dashboardId: number
}

const COLUMNS = [
  'id',
  'dashboard_id as dashboardId',
  'insight_id as insightId',
  'text',
  'layouts',
  'color',
  'sort_order as order',
  'deleted',
] as const

interface TileRow extends Omit<Tile, 'layouts' | 'deleted'> {
  readonly layouts: string
  readonly deleted: number
}

const parseRow = (row: TileRow): Tile => ({ ...row, layouts: JSON.parse(row.layouts), deleted: row.deleted === 1 })

const toColumns = ({ insightId, text, layouts, color, order, deleted }: TileFields) => ({
  insight_id: insightId,
  text,
  layouts: JSON.stringify(layouts),
  color,
  sort_order: order,
  deleted: deleted ? 1 : 0,
})

/** The tiles of a dashboard in their order, also deleted ones. */
export const listTiles = async (metadata: Metadata, dashboardId: number): Promise<readonly Tile[]> => {
  const tiles = metadata.selectFrom('dashboard_tiles').where('dashboard_id', '=', dashboardId).select(COLUMNS)
  return (await tiles.orderBy('sort_order').orderBy('id').execute()).map(parseRow)
}

/** A tile that a dashboard shows. */
export interface ShownTile extends Tile {
  /** Null for a text. */
  readonly insight: Insight | null
}

/** The tiles that a dashboard shows, in their order. A tile goes with its insight when that is deleted, and comes back with it. */
export const loadShownTiles = async (
  metadata: Metadata,
  projectId: number,
  dashboardId: number,
): Promise<readonly ShownTile[]> => {
  const tiles = (await listTiles(metadata, dashboardId)).filter(({ deleted }) => !deleted)
  const insightIds = tiles.flatMap(({ insightId }) => insightId ?? [])
  const insights = await loadInsights(metadata, projectId, insightIds)
  return tiles.flatMap((tile): readonly ShownTile[] => {
    if (tile.insightId === null) return [{ ...tile, insight: null }]
    const insight = insights.get(tile.insightId)
    return insight === undefined || insight.deleted ? [] : [{ ...tile, insight }]
  })
}

/** The tiles of insights on dashboards that are not deleted, also deleted tiles. */
export const listTilesOfInsights = async (
  metadata: Metadata,
  insightIds: readonly number[],
): Promise<readonly Tile[]> => {
  if (insightIds.length === 0) return []
  const rows = await metadata
    .selectFrom('dashboard_tiles')
    .where('insight_id', 'in', insightIds)
    .where('dashboard_id', 'in', (query) => query.selectFrom('dashboards').select('id').where('deleted', '=', 0))
    .select(COLUMNS)
    .orderBy('id')
    .execute()
  return rows.map(parseRow)
}

export const createTile = async (transaction: Metadata, dashboardId: number, fields: TileFields): Promise<void> => {
  await transaction
    .insertInto('dashboard_tiles')
    .values({ dashboard_id: dashboardId, ...toColumns(fields) })
    .execute()
}

/** Replaces the fields of a tile. */
export const updateTile = async (transaction: Metadata, id: number, fields: TileFields): Promise<void> => {
  await transaction.updateTable('dashboard_tiles').set(toColumns(fields)).where('id', '=', id).execute()
}
