import type { NamedValue, PieChart } from '../chart.ts'
import { formatNumber, formatShare } from '../format/format-number.ts'
import type { SvgNode } from '../svg/svg-node.ts'
import { createNode, moveTo } from '../svg/svg-node.ts'
import { cutApart } from '../text/cut-apart.ts'
import { colorOf } from './color-of.ts'
import { drawEcharts } from './draw-echarts.ts'
import { BASELINE_SHIFT } from './draw-text.ts'
import type { Size, Tools } from './tools.ts'
import { FONT_SIZE } from './tools.ts'

const ROW_HEIGHT = 24
const GAP = 28
const SWATCH = 12

/** Where names would have less, the shares alone are beside them. */
const MIN_NAME_WIDTH = 90

/** Draws a ring of slices, with their names, numbers and shares beside it. Slices without room in the list are one. */
export const drawPie = ({ slices }: PieChart, { width, height }: Size, tools: Tools): readonly SvgNode[] => {
  const { theme } = tools
  const shown = joinSmallest(slices, Math.max(2, Math.floor(height / ROW_HEIGHT)))
  const diameter = Math.min(height, width * 0.42)
  const ring = drawEcharts(
    {
      series: [
        {
          type: 'pie',
          radius: ['52%', '96%'],
          silent: true,
          label: { show: false },
          labelLine: { show: false },
          data: shown.map(({ value, color }) => ({
            value,
            itemStyle: { color: colorOf(color, theme), borderColor: theme.background, borderWidth: 1.5 },
          })),
        },
      ],
    },
    { width: diameter, height: diameter },
    tools,
  )
  const listWidth = width - diameter - GAP
  const list = drawList(shown, listWidth, tools)
  return [
    moveTo(0, (height - diameter) / 2, ring),
    moveTo(diameter + GAP, (height - shown.length * ROW_HEIGHT) / 2, list),
  ]
}

const joinSmallest = (slices: readonly NamedValue[], maxCount: number): readonly NamedValue[] => {
  const sorted = slices.toSorted((a, b) => b.value - a.value)
  if (sorted.length <= maxCount) return sorted
  const rest = sorted.slice(maxCount - 1)
  const value = rest.reduce((sum, slice) => sum + slice.value, 0)
  return [...sorted.slice(0, maxCount - 1), { name: `${rest.length} more`, value, color: 'other' }]
}

const drawList = (
  slices: readonly NamedValue[],
  width: number,
  { theme, ruler, drawText }: Tools,
): readonly SvgNode[] => {
  const whole = slices.reduce((sum, { value }) => sum + value, 0)
  const style = { size: FONT_SIZE }
  const numbers = slices.map(({ value }) => formatNumber(value))
  const shares = slices.map(({ value }) => formatShare(value, whole))
  const widthOfWidest = (texts: readonly string[]): number =>
    Math.max(...texts.map((text) => ruler.widthOf(text, style)))
  const numberWidth = widthOfWidest(numbers)
  const shareWidth = widthOfWidest(shares)
  const roomWithNumbers = width - SWATCH - numberWidth - shareWidth - 40
  const hasNumbers = roomWithNumbers >= MIN_NAME_WIDTH
  const maxNameWidth = Math.max(0, hasNumbers ? roomWithNumbers : roomWithNumbers + numberWidth + 16)
  const nameWidth = Math.min(maxNameWidth, widthOfWidest(slices.map(({ name }) => name)))
  const names = cutApart(
    slices.map(({ name }) => ({ text: name, maxWidth: maxNameWidth })),
    style,
    ruler,
  )
  const numberX = SWATCH + 8 + nameWidth + (hasNumbers ? 16 + numberWidth : 0)
  return slices.flatMap(({ color }, index) => {
    const middle = (index + 0.5) * ROW_HEIGHT
    const y = middle + FONT_SIZE * BASELINE_SHIFT
    return [
      createNode('rect', {
        x: 0,
        y: middle - SWATCH / 2,
        width: SWATCH,
        height: SWATCH,
        rx: 2,
        fill: colorOf(color, theme),
      }),
      drawText({ text: names[index]!, x: SWATCH + 8, y, fill: theme.text, ...style }),
      ...(hasNumbers
        ? [drawText({ text: numbers[index]!, x: numberX, y, anchor: 'end', fill: theme.text, ...style })]
        : []),
      drawText({ text: shares[index]!, x: numberX + 16 + shareWidth, y, anchor: 'end', fill: theme.muted, ...style }),
    ]
  })
}
