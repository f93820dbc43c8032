import { NO_DATA } from '../chart.ts'
import { chooseChart } from '../choose-chart.ts'
import type { DashboardPicture, TilePicture } from '../picture.ts'
import type { SvgNode } from '../svg/svg-node.ts'
import { createNode, moveTo } from '../svg/svg-node.ts'
import { drawPanel } from './draw-panel.ts'
import { drawTextTile } from './draw-text-tile.ts'
import type { Size, Tools } from './tools.ts'
import { TITLE_SIZE } from './tools.ts'

/** A tile is at least so wide, if the picture is, and at least so high. */
const MIN_TILE_WIDTH = 330
const MIN_TILE_HEIGHT = 240
const GAP = 16
const PADDING = 14
const TILE_TITLE_SIZE = 14
const HEAD_HEIGHT = TITLE_SIZE + 16

interface Grid {
  readonly columns: number
  readonly rows: number
  readonly top: number
}

const layOut = ({ title, tiles }: DashboardPicture, width: number): Grid => {
  const columns = Math.max(1, Math.min(tiles.length, Math.floor((width + GAP) / (MIN_TILE_WIDTH + GAP))))
  return {
    columns,
    rows: Math.ceil(tiles.length / columns),
    top: title === null || title.trim() === '' ? 0 : HEAD_HEIGHT,
  }
}

/** The height that the tiles of a dashboard need. */
export const measureDashboard = (dashboard: DashboardPicture, width: number): number => {
  const { rows, top } = layOut(dashboard, width)
  return top + rows * (MIN_TILE_HEIGHT + GAP) - GAP
}

/** Draws tiles in rows, from left to right. */
export const drawDashboard = (
  dashboard: DashboardPicture,
  { width, height }: Size,
  tools: Tools,
): readonly SvgNode[] => {
  const { title, tiles } = dashboard
  const { columns, rows, top } = layOut(dashboard, width)
  const size = { width: (width + GAP) / columns - GAP, height: (height - top + GAP) / rows - GAP }
  const { theme, drawText } = tools
  if (tiles.length === 0)
    return drawPanel(title, { ...NO_DATA, text: 'No tiles' }, TITLE_SIZE, { width, height }, tools)
  const nodes = tiles.map((tile, index) =>
    moveTo((index % columns) * (size.width + GAP), top + Math.floor(index / columns) * (size.height + GAP), [
      createNode('rect', { ...size, rx: 6, fill: theme.background, stroke: theme.grid }),
      moveTo(
        PADDING,
        PADDING,
        drawTile(tile, { width: size.width - 2 * PADDING, height: size.height - 2 * PADDING }, tools),
      ),
    ]),
  )
  if (top === 0) return nodes
  const head = drawText({
    text: title!,
    x: 0,
    y: TITLE_SIZE,
    size: TITLE_SIZE,
    weight: 'bold',
    fill: theme.text,
    maxWidth: width,
  })
  return [head, ...nodes]
}

const drawTile = (tile: TilePicture, size: Size, tools: Tools): readonly SvgNode[] =>
  tile.kind === 'text'
    ? drawTextTile(tile.text, size, tools)
    : drawPanel(tile.title, chooseChart(tile), TILE_TITLE_SIZE, size, tools)
