import type { FunnelChart } from '../chart.ts'
import { formatNumber, formatShare } from '../format/format-number.ts'
import type { SvgNode } from '../svg/svg-node.ts'
import { createNode, moveTo } from '../svg/svg-node.ts'
import { colorOf } from './color-of.ts'
import { drawLegend } from './draw-legend.ts'
import type { Size, Tools } from './tools.ts'
import { FONT_SIZE, NOTE_SIZE } from './tools.ts'

const LINE_HEIGHT = 18
const MAX_BAR_WIDTH = 110

/** Draws a bar for each step and group, filled as far as the group came, with the numbers below. */
export const drawFunnel = (chart: FunnelChart, { width, height }: Size, tools: Tools): readonly SvgNode[] => {
  const { theme } = tools
  const names = chart.groups.map(({ name }, index) => ({ name, color: colorOf(index, theme), isDashed: false }))
  const items = names.flatMap(({ name, ...item }) => (name === null ? [] : [{ ...item, name }]))
  const legend = items.length === 0 ? { nodes: [], height: 0 } : drawLegend(items, { width, height: height / 6 }, tools)
  const top = legend.height
  const stepWidth = width / chart.steps.length
  const barsHeight = Math.max(10, height - top - 3 * LINE_HEIGHT - 8)
  const inner = stepWidth * 0.86
  const barGap = Math.min(4, (inner / chart.groups.length) * 0.15)
  const barWidth = Math.min(MAX_BAR_WIDTH, inner / chart.groups.length - barGap)
  const totals = chart.steps.map((_, step) => chart.groups.reduce((sum, { counts }) => sum + (counts[step] ?? 0), 0))
  const nodes = chart.steps.flatMap((name, step) => {
    const left = step * stepWidth
    const middle = left + stepWidth / 2
    const start = middle - (chart.groups.length * (barWidth + barGap) - barGap) / 2
    const bars = chart.groups.flatMap(({ counts }, index) => {
      const share = counts[0] ? Math.min(1, (counts[step] ?? 0) / counts[0]) : 0
      const place = { x: start + index * (barWidth + barGap), width: barWidth }
      return [
        createNode('rect', { ...place, y: 0, height: barsHeight, fill: theme.ground }),
        createNode('rect', {
          ...place,
          y: barsHeight * (1 - share),
          height: barsHeight * share,
          fill: colorOf(index, theme),
        }),
      ]
    })
    const maxWidth = stepWidth - 12
    const line = (
      text: string,
      row: number,
      size: number,
      fill: string,
      weight: 'normal' | 'bold' = 'normal',
    ): SvgNode =>
      tools.drawText({
        text,
        x: middle,
        y: barsHeight + row * LINE_HEIGHT,
        size,
        fill,
        weight,
        anchor: 'middle',
        maxWidth,
      })
    const before = totals[step - 1]
    const fromFirst = formatShare(totals[step]!, totals[0]!)
    const fromBefore = before === undefined ? null : formatShare(totals[step]!, before)
    return [
      ...bars,
      line(`${step + 1}. ${name}`, 1, FONT_SIZE, theme.text, 'bold'),
      line(`${formatNumber(totals[step]!)}${fromFirst === null ? '' : ` (${fromFirst})`}`, 2, FONT_SIZE, theme.text),
      ...(fromBefore === null || step === 0 ? [] : [line(`${fromBefore} of step ${step}`, 3, NOTE_SIZE, theme.muted)]),
    ]
  })
  const ground = createNode('line', {
    x1: 0,
    x2: width,
    y1: barsHeight,
    y2: barsHeight,
    stroke: theme.muted,
    'stroke-width': 1,
  })
  return [...legend.nodes, moveTo(0, top, [...nodes, ground])]
}
