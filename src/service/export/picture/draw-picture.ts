import { chooseChart } from './choose-chart.ts'
import { drawDashboard, measureDashboard } from './drawing/draw-dashboard.ts'
import { drawPanel } from './drawing/draw-panel.ts'
import { drawText } from './drawing/draw-text.ts'
import type { Size, Tools } from './drawing/tools.ts'
import { TITLE_SIZE } from './drawing/tools.ts'
import type { PictureRequest } from './picture.ts'
import { renderPng } from './svg/render-png.ts'
import type { SvgNode } from './svg/svg-node.ts'
import { createNode, round } from './svg/svg-node.ts'
import { writeSvg } from './svg/write-svg.ts'
import type { FontLibrary } from './text/font-library.ts'
import type { Ruler } from './text/ruler.ts'
import { themeOf } from './theme.ts'

/** The size that texts and lines are made for. Larger pictures have larger ones, but have more room, too. */
const BASE_WIDTH = 800
const BASE_HEIGHT = 400
const MIN_ZOOM = 0.75
const MAX_ZOOM = 1.5

const PADDING = 20

/** Most pixels of a PNG, which takes 4 bytes for each while it is drawn. */
const MAX_PIXELS = 40_000_000

/** What pictures are drawn with; kept from one picture to the next. */
export interface DrawingKit {
  readonly library: FontLibrary
  readonly ruler: Ruler
}

/** Draws a picture; the bytes of the file. */
export const drawPicture = (request: PictureRequest, { library, ruler }: DrawingKit): Uint8Array => {
  const { format, width, theme: themeName, content } = request
  const theme = themeOf(themeName)
  const zoom = Math.min(MAX_ZOOM, Math.max(MIN_ZOOM, Math.min(width / BASE_WIDTH, request.height / BASE_HEIGHT)))
  const innerWidth = width / zoom - 2 * PADDING
  const height =
    content.kind === 'insight'
      ? request.height
      : Math.max(request.height, Math.ceil((measureDashboard(content, innerWidth) + 2 * PADDING) * zoom))
  const scale = Math.min(request.scale, Math.sqrt(MAX_PIXELS / (width * height)))
  const tools: Tools = {
    theme,
    ruler,
    drawText: (mark) => drawText(mark, ruler, format === 'image/png' ? 'replace' : 'keep'),
    pixelsPerUnit: scale * zoom,
  }
  const size: Size = { width: innerWidth, height: height / zoom - 2 * PADDING }
  const svg = writeSvg(
    createNode('svg', { xmlns: 'http://www.w3.org/2000/svg', width, height, viewBox: `0 0 ${width} ${height}` }, [
      createNode('rect', { width, height, fill: theme.background }),
      createNode(
        'g',
        { transform: `scale(${round(zoom)}) translate(${PADDING} ${PADDING})` },
        drawContent(content, size, tools),
      ),
    ]),
  )
  return format === 'image/png' ? renderPng(svg, scale, library.files()) : new TextEncoder().encode(svg)
}

const drawContent = (content: PictureRequest['content'], size: Size, tools: Tools): readonly SvgNode[] =>
  content.kind === 'insight'
    ? drawPanel(content.title, chooseChart(content), TITLE_SIZE, size, tools)
    : drawDashboard(content, size, tools)
