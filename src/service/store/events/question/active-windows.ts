import type { TrendQuestion } from '../../../insight/question/trend.ts'

/** Times in which an actor with an event is active in a period. */
interface Window {
  readonly from: number
  readonly before: number
}

/**
 * Time, cut into slices at the bounds of all windows, so that each window is some slices in a row. An actor with an event in a slice is
 * active in the periods whose windows contain it; the periods from its next slice on are left to that one, so that none counts twice.
 */
export interface ActiveSlices {
  /** Rising; the last one is the end of the last slice. */
  readonly bounds: readonly number[]
  /** The slices that are in a window, by their index. */
  readonly slice: readonly number[]
  /** The first and the last period whose window contains each of these slices. */
  readonly firstPeriod: readonly number[]
  readonly lastPeriod: readonly number[]
}

export const cutIntoSlices = (question: TrendQuestion, since: readonly number[]): ActiveSlices => {
  const windows = listWindows(question, since)
  const bounds = [...new Set(windows.flatMap(({ from, before }) => [from, before]))].toSorted((a, b) => a - b)
  return { bounds, ...findPeriods(bounds.slice(0, -1), windows) }
}

const findPeriods = (slices: readonly number[], windows: readonly Window[]): Omit<ActiveSlices, 'bounds'> => {
  const [slice, firstPeriod, lastPeriod]: [number[], number[], number[]] = [[], [], []]
  // Neither the starts nor the ends of windows go back.
  let [first, last] = [0, -1]
  for (const [index, start] of slices.entries()) {
    while (windows[first]!.before <= start) first++
    while (last + 1 < windows.length && windows[last + 1]!.from <= start) last++
    if (first > last) continue
    slice.push(index)
    firstPeriod.push(first)
    lastPeriod.push(last)
  }
  return { slice, firstPeriod, lastPeriod }
}

const listWindows = (
  { periods: { range, starts, end }, isTotal }: TrendQuestion,
  since: readonly number[],
): readonly Window[] => {
  if (isTotal) return [{ from: since[0]!, before: range.before }]
  return since.map((from, index) => ({ from, before: Math.min(starts[index + 1] ?? end, range.before) }))
}
