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

/** Walks the events of one actor after the other. Nothing is created for an event, because there are millions. */
export const createEdgeCounter = ({ start, end, stepLimit }: PathBounds): EdgeCounter => {
  const edges = createEdgeTable()
  // The current path: its items, and the times of their first events. The arrays may have more, of earlier paths.
  const items: number[] = []
  const times: number[] = []
  let length = 0
  let lastTime = 0

  const placeOf = (item: number, from: number): number => {
    for (let place = from; place < length; place++) if (items[place] === item) return place
    return -1
  }
  const endPath = (): void => {
    const from = start === null ? 0 : placeOf(start, 0)
    const to = from < 0 || end === null ? length - 1 : placeOf(end, from)
    if (from >= 0 && to >= 0) {
      const isOfEnd = start === null && end !== null
      const first = isOfEnd ? Math.max(from, to - stepLimit + 1) : from
      const last = isOfEnd ? to : Math.min(to, from + stepLimit - 1)
      for (let place = first; place < last; place++)
        edges.add(place - first + 1, items[place]!, items[place + 1]!, times[place + 1]! - times[place]!)
    }
    length = 0
  }

  return {
    add(time, item) {
      if (length > 0 && time - lastTime >= MAX_PAUSE_MS) endPath()
      lastTime = time
      if (length > 0 && items[length - 1] === item) return
      items[length] = item
      times[length] = time
      length += 1
    },
    endActor: endPath,
    edges,
  }
}
