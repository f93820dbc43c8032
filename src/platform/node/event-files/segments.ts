import type { Position } from './position.ts'

/** A range of bytes in one segment. */
export interface SegmentRange {
  /** Number of the segment. */
  readonly segment: number
  /** Start of the range in the segment's file, in bytes. */
  readonly offset: number
  readonly bytes: number
  /** Start of the range in the whole log, in bytes. */
  readonly start: number
}

/**
 * Tracks which bytes of a log are still pending, without reading any file. Log offsets count bytes from the start of the log, across
 * segments.
 *
 * ```
 * | completed | reserved for a batch | gap: dropped | pending | end
 * ```
 */
export interface Segments {
  /** Adds a segment; the previous one can no longer grow. */
  add(segment: number, bytes: number): void
  /** The last segment has grown by `bytes`. */
  grow(bytes: number): void
  /** The last segment can no longer grow. */
  seal(): void
  /** Log offset of the end. */
  end(): number
  /** Bytes that are neither completed nor dropped. */
  pendingBytes(): number
  /** The oldest pending range, up to the end of its segment. */
  nextReadable(): SegmentRange | undefined
  /** The oldest range that is not reserved for a batch. */
  nextDroppable(): SegmentRange | undefined
  /** Protects everything before this log offset from being dropped, because a batch with it is being delivered. */
  reserve(logOffset: number): void
  /** Everything before this log offset is delivered or dropped. */
  completeTo(logOffset: number): void
  /** Drops what is droppable before this log offset. */
  dropTo(logOffset: number): void
  /** Removes the completed segments and returns their numbers, so that the caller can delete their files. */
  takeCompleted(): readonly number[]
  position(): Position
}

interface Segment {
  readonly number: number
  readonly start: number
  end: number
  isSealed: boolean
}

/** @param firstOffset Offset in the first segment before which everything is completed. */
export const createSegments = (firstOffset = 0): Segments => {
  let segments: Segment[] = []
  let next = 0
  let end = 0
  let completed = firstOffset
  let reserved = firstOffset
  // What was dropped behind a reserved range. One gap is enough: each drop extends it, and no batch reaches across it.
  let gap: { readonly from: number; readonly to: number } | undefined

  const rangeFrom = (from: number, limit: number): SegmentRange | undefined => {
    const segment = from < limit ? segments.find((segment) => segment.end > from) : undefined
    if (!segment) return undefined
    const offset = from - segment.start
    return { segment: segment.number, offset, bytes: Math.min(segment.end, limit) - from, start: from }
  }

  const completeTo = (logOffset: number): void => {
    completed = Math.max(completed, logOffset)
    if (gap && completed >= gap.from) {
      completed = Math.max(completed, gap.to)
      gap = undefined
    }
    reserved = Math.max(reserved, completed)
  }

  const seal = (): void => {
    const last = segments.at(-1)
    if (last) last.isSealed = true
  }

  const isCompleted = (segment: Segment): boolean =>
    segment.isSealed && (segment.end <= completed || (!!gap && gap.from <= segment.start && segment.end <= gap.to))

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
    pendingBytes: () => end - completed - (gap ? gap.to - gap.from : 0),
    nextReadable: () => rangeFrom(completed, gap?.from ?? end),
    nextDroppable: () => rangeFrom(gap?.to ?? reserved, end),
    reserve(logOffset) {
      reserved = Math.max(reserved, logOffset)
    },
    completeTo,
    dropTo(logOffset) {
      gap = { from: gap?.from ?? reserved, to: logOffset }
      completeTo(completed)
    },
    takeCompleted() {
      const numbers = segments.filter(isCompleted).map(({ number }) => number)
      if (numbers.length) segments = segments.filter((segment) => !isCompleted(segment))
      return numbers
    },
    position() {
      const current = segments.find((segment) => !segment.isSealed || segment.end > completed)
      return current ? { segment: current.number, offset: completed - current.start } : { segment: next, offset: 0 }
    },
  }
}
