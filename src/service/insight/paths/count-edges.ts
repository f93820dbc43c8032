import type { PathsQuestion } from '../question/paths.ts'
import type { EdgeTable } from './edge-table.ts'
import { createEdgeTable } from './edge-table.ts'

/** A path ends after so much time without an event (30 minutes). */
const MAX_PAUSE_MS = 30 * 60_000

/** Where paths begin and end, as the numbers of items. */
export interface PathBounds extends Pick<PathsQuestion, 'stepLimit'> {
  readonly start: number | null
  readonly end: number | null
}

/** Counts the edges of paths. */
export interface EdgeCounter {
  /** Adds an event of the current actor. Events come in order; the times are in milliseconds. */
  add(time: number, item: number): void
  /** Ends the paths of the current actor. */
  endActor(): void
  readonly edges: EdgeTable
}

/** Walks the events of one actor after the other. */
export const createEdgeCounter = ({ start, end, stepLimit }: PathBounds): EdgeCounter => {
  const edges = createEdgeTable()
  // The current path: its items, and the times of their first events.
  const items: number[] = []
  const times: number[] = []
  let lastTime = 0

  const endPath = (): void => {
    const bounds = findBounds(items, { start, end, stepLimit })
    if (bounds !== null)
      for (let place = bounds.first; place < bounds.last; place++)
        edges.add(place - bounds.first + 1, items[place]!, items[place + 1]!, times[place + 1]! - times[place]!)
    items.length = 0
    times.length = 0
  }

  return {
    add(time, item) {
      if (items.length > 0 && time - lastTime >= MAX_PAUSE_MS) endPath()
      lastTime = time
      if (items.length > 0 && items[items.length - 1] === item) return
      items.push(item)
      times.push(time)
    },
    endActor: endPath,
    edges,
  }
}

/** The places of the first and the last item of a path that count; null if it does not have the items that were chosen. */
const findBounds = (
  items: readonly number[],
  { start, end, stepLimit }: PathBounds,
): { readonly first: number; readonly last: number } | null => {
  const first = start === null ? 0 : items.indexOf(start)
  if (first < 0) return null
  const last = end === null ? items.length - 1 : items.indexOf(end, first)
  if (last < 0) return null
  return start === null && end !== null
    ? { first: Math.max(first, last - stepLimit + 1), last }
    : { first, last: Math.min(last, first + stepLimit - 1) }
}
