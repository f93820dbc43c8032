import { MAX_LABEL_WIDTH } from './axes.ts'
import { chooseTicks } from './choose-ticks.ts'
import type { Tools } from './tools.ts'
import { FONT_SIZE } from './tools.ts'

/** Most labels that are measured: those of periods all have about the same width. */
const MAX_MEASURED = 200

/** The labels of periods on an axis of a width: which ones are shown, and the text of each. */
export const labelPeriods = (
  periods: readonly string[],
  axisWidth: number,
  { ruler }: Tools,
): { readonly ticks: readonly number[]; readonly labelOf: (index: number) => string } => {
  const step = Math.ceil(periods.length / MAX_MEASURED)
  const measured = periods.filter((_, index) => index % step === 0)
  const widest = Math.max(...measured.map((period) => ruler.widthOf(period, { size: FONT_SIZE })))
  const labelWidth = Math.min(widest, MAX_LABEL_WIDTH)
  return {
    ticks: chooseTicks(periods.length, labelWidth, axisWidth),
    labelOf: (index) => ruler.shorten(periods[index] ?? '', { size: FONT_SIZE }, MAX_LABEL_WIDTH),
  }
}
