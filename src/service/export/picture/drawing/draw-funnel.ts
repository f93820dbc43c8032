import type { FunnelChart } from '../chart.ts'
import { formatNumber, formatShare } from '../format/format-number.ts'
import type { SvgNode } from '../svg/svg-node.ts'
import { createNode, moveTo } from '../svg/svg-node.ts'
import { colorOf } from './color-of.ts'
import { drawLegend } from './draw-legend.ts'
import type { Size, Tools } from './tools.ts'
import { FONT_SIZE, NOTE_SIZE } from './tools.ts'

const LINE_HEIGHT = 18
const CAPTION_HEIGHT = 3 * LINE_HEIGHT + 8
const CAPTION_GAP = 12
const MAX_BAR_WIDTH = 110
const MAX_BAR_GAP = 4

/** Draws a bar for each step and group, filled as far as the group came, with the numbers below. */
export const drawFunnel = (chart: FunnelChart, { width, height }: Size, tools: Tools): readonly SvgNode[] => {
  const legend = drawGroupNames(chart, { width, height: height / 6 }, tools)
  const barHeight = Math.max(10, height - legend.height - CAPTION_HEIGHT)
  const stepWidth = width / chart.steps.length
  const captions = createCaptions(chart, stepWidth - CAPTION_GAP, tools)
  const ground = { x1: 0, x2: width, y1: barHeight, y2: barHeight, stroke: tools.theme.muted }
  return [
    ...legend.nodes,
    moveTo(0, legend.height, [
      ...chart.steps.map((_, step) =>
        moveTo((step + 0.5) * stepWidth, 0, [
          ...drawBarsOfStep(chart, step, { width: stepWidth, height: barHeight }, tools),
          moveTo(0, barHeight, captions[step]!),
        ]),
      ),
      createNode('line', ground),
    ]),
  ]
}

const drawGroupNames = ({ groups }: FunnelChart, size: Size, tools: Tools): ReturnType<typeof drawLegend> => {
  const items = groups.flatMap(({ name }, index) =>
    name === null ? [] : [{ name, color: colorOf(index, tools.theme), isDashed: false }],
  )
  return items.length === 0 ? { nodes: [], height: 0 } : drawLegend(items, size, tools)
}

/** The bars of a step, from its middle to both sides. */
const drawBarsOfStep = (
  { groups }: FunnelChart,
  step: number,
  { width, height }: Size,
  { theme }: Tools,
): readonly SvgNode[] => {
  const room = (width * 0.86) / groups.length
  const gap = Math.min(MAX_BAR_GAP, room * 0.15)
  const barWidth = Math.min(MAX_BAR_WIDTH, room - gap)
  const left = -(groups.length * (barWidth + gap) - gap) / 2
  return groups.flatMap(({ counts }, index) => {
    const share = counts[0] ? Math.min(1, (counts[step] ?? 0) / counts[0]) : 0
    const place = { x: left + index * (barWidth + gap), width: barWidth }
    const filled = { y: height * (1 - share), height: height * share, fill: colorOf(index, theme) }
    return [
      createNode('rect', { ...place, y: 0, height, fill: theme.ground }),
      createNode('rect', { ...place, ...filled }),
    ]
  })
}

/** The name and the numbers of each step, of all groups together. Where one step has too little room, all have shorter numbers. */
const createCaptions = (
  { steps, groups }: FunnelChart,
  maxWidth: number,
  { theme, ruler, drawText }: Tools,
): readonly (readonly SvgNode[])[] => {
  const totals = steps.map((_, step) => groups.reduce((sum, { counts }) => sum + (counts[step] ?? 0), 0))
  const numbers = totals.map(formatNumber)
  const shares = totals.map((total) => formatShare(total, totals[0]!))
  const longNumbers = numbers.map((number, step) => `${number} (${shares[step]})`)
  const isNarrow = longNumbers.some((text) => ruler.widthOf(text, { size: FONT_SIZE }) > maxWidth)
  const notes = isNarrow
    ? shares
    : totals.map((total, step) => (step === 0 ? '' : `${formatShare(total, totals[step - 1]!)} of step ${step}`))
  const common = { x: 0, anchor: 'middle', maxWidth } as const
  return steps.map((name, step) => [
    drawText({
      ...common,
      text: `${step + 1}. ${name}`,
      y: LINE_HEIGHT,
      size: FONT_SIZE,
      weight: 'bold',
      fill: theme.text,
    }),
    drawText({
      ...common,
      text: (isNarrow ? numbers : longNumbers)[step]!,
      y: 2 * LINE_HEIGHT,
      size: FONT_SIZE,
      fill: theme.text,
    }),
    drawText({ ...common, text: notes[step]!, y: 3 * LINE_HEIGHT, size: NOTE_SIZE, fill: theme.muted }),
  ])
}
