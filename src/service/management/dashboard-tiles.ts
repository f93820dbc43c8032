import { isDeepStrictEqual } from 'node:util'
import type { Static } from 'typebox'
import type { JsonObject } from '../../wire/json.ts'
import { badRequest } from '../http-error.ts'
import { patch } from '../patch.ts'
import type { Author } from '../store/metadata/saved-items.ts'
import { createTile, listTiles, listTilesOfInsights, updateTile } from '../store/metadata/dashboard-tiles.ts'
import type { Tile, TileFields } from '../store/metadata/dashboard-tiles.ts'
import { findDashboard, updateDashboard } from '../store/metadata/dashboards.ts'
import { findInsight } from '../store/metadata/insights.ts'
import type { Metadata } from '../store/metadata/open.ts'
import type { RequireScope } from './resource.ts'
import { MAX_TILES } from './schema/dashboard.ts'
import type { DashboardInput } from './schema/dashboard.ts'

type TileBody = NonNullable<Static<typeof DashboardInput>['tiles']>[number]

const EMPTY_TILE: TileFields = { insightId: null, text: null, layouts: {}, color: null, order: 0, deleted: false }

const applyTileBody = (stored: TileFields, body: TileBody): TileFields => ({
  insightId: stored.insightId,
  text: body.text && stored.insightId === null ? body.text.body : stored.text,
  layouts: patch(body.layouts as JsonObject | undefined, stored.layouts),
  color: patch(body.color, stored.color, null),
  order: patch(body.order, stored.order),
  deleted: patch(body.deleted, stored.deleted),
})

const countShown = (tiles: readonly Pick<TileFields, 'deleted'>[]): number =>
  tiles.filter(({ deleted }) => !deleted).length

/** Throws `HttpError` (400) when a change shows more tiles than a dashboard may have. */
const checkCount = (before: readonly TileFields[], after: readonly TileFields[], attr: string): void => {
  if (countShown(after) <= Math.max(MAX_TILES, countShown(before))) return
  throw badRequest('invalid_input', `A dashboard has at most ${MAX_TILES} tiles.`, attr)
}

/** The fields of a new tile. Throws `HttpError` (400). */
const toNewTile = async (
  transaction: Metadata,
  projectId: number,
  body: TileBody,
  path: string,
): Promise<TileFields> => {
  const { insight, text } = body
  if (insight === undefined || insight === null) {
    if (text) return applyTileBody(EMPTY_TILE, body)
    throw badRequest('invalid_input', `"${path}" must have "insight" or "text"; a stored tile has an "id".`, path)
  }
  if (text) throw badRequest('invalid_input', `"${path}" must have either "insight" or "text".`, path)
  const insightId = typeof insight === 'number' ? insight : insight.id
  if ((await findInsight(transaction, projectId, insightId)) === undefined)
    throw badRequest(
      'invalid_input',
      `"${path}.insight" must be the id of an insight of this project.`,
      `${path}.insight`,
    )
  return applyTileBody({ ...EMPTY_TILE, insightId }, body)
}

/** Adds and changes tiles of a dashboard; returns whether anything has changed. Throws `HttpError` (400). */
export const saveTiles = async (
  transaction: Metadata,
  projectId: number,
  dashboardId: number,
  bodies: readonly TileBody[],
): Promise<boolean> => {
  const stored = await listTiles(transaction, dashboardId)
  const changed = new Map<number, Tile>()
  const created: TileFields[] = []
  for (const [index, body] of bodies.entries()) {
    const path = `tiles[${index}]`
    if (body.id === undefined || body.id === null) {
      const fields = await toNewTile(transaction, projectId, body, path)
      created.push({ ...fields, order: body.order ?? stored.length + index })
      continue
    }
    const tile = changed.get(body.id) ?? stored.find(({ id }) => id === body.id)
    if (tile === undefined)
      throw badRequest('invalid_input', `"${path}.id" must be the id of a tile of this dashboard.`, `${path}.id`)
    const fields = { ...tile, ...applyTileBody(tile, body) }
    if (!isDeepStrictEqual(fields, tile)) changed.set(tile.id, fields)
  }
  checkCount(stored, [...stored.map((tile) => changed.get(tile.id) ?? tile), ...created], 'tiles')
  for (const tile of changed.values()) await updateTile(transaction, tile.id, tile)
  for (const fields of created) await createTile(transaction, dashboardId, fields)
  return changed.size + created.length > 0
}

/** Copies the tiles of another dashboard. Throws `HttpError` (400). */
export const copyTiles = async (
  transaction: Metadata,
  projectId: number,
  fromId: number,
  toId: number,
): Promise<void> => {
  const source = await findDashboard(transaction, projectId, fromId)
  if (source === undefined || source.deleted)
    throw badRequest('invalid_input', '"use_dashboard" must be the id of a dashboard of this project.', 'use_dashboard')
  for (const tile of await listTiles(transaction, fromId)) if (!tile.deleted) await createTile(transaction, toId, tile)
}

/** An insight, and the dashboards that shall show it. */
export interface Placement {
  readonly projectId: number
  readonly insightId: number
  readonly dashboardIds: readonly number[]
  readonly author: Author
  /** Is called before a dashboard is changed: the insight is not all that changes. */
  readonly requireScope: RequireScope
}

/**
 * Puts an insight on these dashboards, and removes it from the others, which is a change of each of them; returns whether anything has
 * changed. Throws `HttpError` (400, 403).
 */
export const placeInsight = async (
  transaction: Metadata,
  { projectId, insightId, dashboardIds, author, requireScope }: Placement,
): Promise<boolean> => {
  const tiles = await listTilesOfInsights(transaction, [insightId])
  const shownOn = new Set(tiles.filter(({ deleted }) => !deleted).map(({ dashboardId }) => dashboardId))
  const added = [...new Set(dashboardIds)].filter((id) => !shownOn.has(id))
  const removed = [...shownOn].filter((id) => !dashboardIds.includes(id))
  if (added.length + removed.length === 0) return false
  requireScope('dashboard:write')
  for (const tile of tiles)
    if (removed.includes(tile.dashboardId) && !tile.deleted)
      await updateTile(transaction, tile.id, { ...tile, deleted: true })
  for (const id of added) await addInsight(transaction, projectId, id, insightId)
  for (const id of [...added, ...removed]) {
    const dashboard = await findDashboard(transaction, projectId, id)
    // Found before, in the same transaction.
    await updateDashboard(transaction, id, dashboard!, author)
  }
  return true
}

/** Shows an insight on a dashboard: by its tile that was removed, or by a new one at the end. Throws `HttpError` (400). */
const addInsight = async (
  transaction: Metadata,
  projectId: number,
  dashboardId: number,
  insightId: number,
): Promise<void> => {
  const dashboard = await findDashboard(transaction, projectId, dashboardId)
  if (dashboard === undefined || dashboard.deleted)
    throw badRequest(
      'invalid_input',
      `"dashboards" has ${dashboardId}, which is no dashboard of this project.`,
      'dashboards',
    )
  const tiles = await listTiles(transaction, dashboardId)
  const fields = { ...EMPTY_TILE, insightId, order: tiles.length }
  checkCount(tiles, [...tiles, fields], 'dashboards')
  const removed = tiles.find((tile) => tile.insightId === insightId)
  if (removed === undefined) await createTile(transaction, dashboardId, fields)
  else await updateTile(transaction, removed.id, { ...removed, deleted: false })
}
