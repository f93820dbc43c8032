import type { PathsQuestion } from '../question/paths.ts'

/** A path ends after so much time without an event (30 minutes). */
const MAX_PAUSE_MS = 30 * 60_000

/** The number of an item that no event has. */
export const NO_ITEM = -1

/** Where paths begin and end, as the numbers of items; null for any item. */
export interface PathBounds extends Pick<PathsQuestion, 'stepLimit'> {
  readonly start: number | null
  readonly end: number | null
  /** Whether the last items count where there are more than the limit, instead of the first ones. */
  readonly countsLast: boolean
}

/** Whether the last items of paths count. */
export const countsLastItems = ({ start, end, around }: Pick<PathsQuestion, 'start' | 'end' | 'around'>): boolean =>
  start === null && (end !== null || around?.part === 'before')

/** The items of a path that count: those at the places from `first` to `last`, both included. Valid until the next event. */
export interface WalkedPath {
  readonly items: readonly number[]
  /** The times of the first events of the items, in milliseconds. */
  readonly times: readonly number[]
  readonly first: number
  readonly last: number
}

/** Walks the events of one actor after the other. */
export interface PathWalker {
  /** Adds an event of the current actor. Events come in order; the times are in milliseconds. */
  add(time: number, item: number): void
  /** Ends the last path of the current actor. */
  endActor(): void
}

/**
 * Creates a walker, which passes on each path that has the start and the end. Nothing is created for an event, because there are
 * millions.
 */
export const createPathWalker = (
  { start, end, stepLimit, countsLast }: PathBounds,
  onPath: (path: WalkedPath) => void,
): PathWalker => {
  // The arrays may have more than the current path, of earlier ones.
  const items: number[] = []
  const times: number[] = []
  const path = { items, times, first: 0, last: 0 }
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
      path.first = countsLast ? Math.max(from, to - stepLimit + 1) : from
      path.last = countsLast ? to : Math.min(to, from + stepLimit - 1)
      onPath(path)
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
  }
}
