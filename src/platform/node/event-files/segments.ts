import type { Position } from './position.ts'

/** A stretch of one segment. */
export interface Stretch {
  /** The segment's number. */
  readonly segment: number
  /** Where it begins in the segment's file, in bytes. */
  readonly offset: number
  readonly bytes: number
  /** Where it begins in the whole log. */
  readonly start: number
}

/**
 * Which bytes of a log still count, as numbers alone. Places are bytes since the log's begin, across its segments.
 *
 * ```
 * | done with | held by a run | dropped: the gap | waiting | end
 * ```
 */
export interface Segments {
  /** A further segment, after which the one before grows no more. */
  add(segment: number, bytes: number): void
  /** The last segment has grown. */
  grow(bytes: number): void
  /** The last segment grows no more. */
  seal(): void
  end(): number
  /** Bytes that still count. */
  waiting(): number
  /** What comes next to be read, up to the segment's end. */
  oldest(): Stretch | undefined
  /** What would be dropped next: the oldest that no run holds. */
  droppable(): Stretch | undefined
  /** What lies before this place is in a run's hands and may not be dropped. */
  hold(place: number): void
  /** All before this place is done with. */
  advance(place: number): void
  /** What is droppable before this place is done with. */
  drop(place: number): void
  /** Takes out the segments whose file is of no more use. */
  takeDone(): readonly number[]
  position(): Position
}

interface Segment {
  readonly number: number
  readonly start: number
  end: number
  isSealed: boolean
}

/** @param from Where the first segment begins to count. */
export const createSegments = (from = 0): Segments => {
  let segments: Segment[] = []
  let next = 0
  let end = 0
  let done = from
  let held = from
  // What was dropped behind a run: at most one stretch, since what is dropped next always follows it, and no run reaches across.
  let gap: { readonly from: number; readonly to: number } | undefined

  const stretch = (from: number, limit: number): Stretch | undefined => {
    const segment = from < limit ? segments.find((segment) => segment.end > from) : undefined
    if (!segment) return undefined
    const offset = from - segment.start
    return { segment: segment.number, offset, bytes: Math.min(segment.end, limit) - from, start: from }
  }

  const advance = (place: number): void => {
    done = Math.max(done, place)
    if (gap && done >= gap.from) {
      done = Math.max(done, gap.to)
      gap = undefined
    }
    held = Math.max(held, done)
  }

  const seal = (): void => {
    const last = segments.at(-1)
    if (last) last.isSealed = true
  }

  const isDone = (segment: Segment): boolean =>
    segment.isSealed && (segment.end <= done || (!!gap && gap.from <= segment.start && segment.end <= gap.to))

  return {
    add(number, bytes) {
      seal()
      segments.push({ number, start: end, end: end + bytes, isSealed: false })
      next = number + 1
      end += bytes
    },
    grow(bytes) {
      end += bytes
      segments.at(-1)!.end = end
    },
    seal,
    end: () => end,
    waiting: () => end - done - (gap ? gap.to - gap.from : 0),
    oldest: () => stretch(done, gap?.from ?? end),
    droppable: () => stretch(gap?.to ?? held, end),
    hold(place) {
      held = Math.max(held, place)
    },
    advance,
    drop(place) {
      gap = { from: gap?.from ?? held, to: place }
      advance(done)
    },
    takeDone() {
      const numbers = segments.filter(isDone).map(({ number }) => number)
      if (numbers.length) segments = segments.filter((segment) => !isDone(segment))
      return numbers
    },
    position() {
      const current = segments.find((segment) => !segment.isSealed || segment.end > done)
      return current ? { segment: current.number, offset: done - current.start } : { segment: next, offset: 0 }
    },
  }
}
