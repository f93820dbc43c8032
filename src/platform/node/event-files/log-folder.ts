import { existsSync, renameSync, rmdirSync, unlinkSync, utimesSync } from 'node:fs'
import type { EventRun } from '../../../port/event-log.ts'
import { codeOf } from './error-code.ts'
import { isTakenOver } from './is-taken-over.ts'
import { removePosition, writePosition } from './position.ts'
import { readLines, readLinesNow } from './read-lines.ts'
import { isInPlace, segmentFile } from './segment-file.ts'
import type { SegmentWriter } from './segment-writer.ts'
import type { Segments, Stretch } from './segments.ts'

/** One log: the events of one thread, written by it, and read by it or by whoever has taken the log over. */
export interface LogFolder {
  /** Sorts by birth. */
  readonly name: string
  /** How many events wait. */
  count(): number
  /** Bytes of JSON that wait. */
  length(): number
  /** The oldest; undefined when none waits, or when the log is lost. */
  read(maxEvents: number, maxLength: number): Promise<EventRun | undefined>
  /** Drops the oldest that no run holds until so many and so much are gone, as far as there are. Answers them. Not while one is read. */
  dropOldest(events: number, length: number): readonly string[]
  /** Shows others that the owner lives. */
  beat(seconds: number): void
  /** Somebody else has taken the log over, or it was deleted: it is nobody's business here any more. */
  isLost(): boolean
  /** Leaves the log to whoever comes, or takes it away when nothing waits. */
  release(): void
}

/** A log that this thread writes. */
export interface OwnLog extends LogFolder {
  /**
   * Appends events. Throws when the disk does not take them.
   *
   * @returns Where they begin; undefined when the log is lost: whoever has it may have read to its end before.
   */
  append(lines: readonly string[]): number | undefined
  /** Protects what lies before this place; the answer takes it out, `events` in number. */
  hold(place: number, events: number): () => void
}

export interface LogFolderParts {
  readonly name: string
  readonly path: string
  /** Where the folder goes when it is released. */
  readonly freePath: string
  readonly segments: Segments
  /** How many events wait in it. */
  readonly count: number
  /** Absent: a log of the past, whose lines are looked at one by one, since whatever ended its process may have spoilt them. */
  readonly writer?: SegmentWriter
  /** Whether a line is an event; one that is not is put aside. */
  readonly accepts: (line: string) => boolean
  /** Puts a segment aside that cannot be read. */
  readonly setAside: (segment: number, reason: string) => void
  readonly warn: (message: string) => void
}

/** So large a segment is ended: then its file can go when its events are delivered. */
const SEGMENT_MAX_BYTES = 4 * 2 ** 20

/** A segment that is delivered to its end is taken away when it is so large, else it is used further. */
const SEGMENT_MIN_BYTES = 2 ** 20

/** The first guess, put right by what is read. */
const EVENT_BYTES = 512

/** The process may have too many files open for a moment, and the like. */
const PASSING = /^(EMFILE|ENFILE|ENOMEM|EAGAIN|EBUSY|EINTR)$/

export const createLogFolder = (parts: LogFolderParts): OwnLog => {
  const { name, path, segments, writer, warn } = parts
  let { count } = parts
  let isLost = false
  let eventBytes = EVENT_BYTES
  let written = ''

  const lose = (): void => {
    // Not known: whether those of a run that is under way are delivered, and whether somebody took the log over and is done with it.
    if (count && !isTakenOver(name, path))
      warn(`${path} is gone; up to ${count} events in it are lost, unless another process has delivered them`)
    isLost = true
    count = 0
    writer?.seal()
  }

  /** Keeps how far the events are done with, and takes files away that are of no more use. */
  const settle = (): void => {
    if (isLost) return
    if (!segments.waiting() && (writer?.size() ?? 0) >= SEGMENT_MIN_BYTES) seal()
    const position = segments.position()
    const text = `${position.segment} ${position.offset}`
    try {
      if (text !== written) writePosition(path, position)
      written = text
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return lose()
      warn(`cannot keep how far events are delivered (${codeOf(error)}); some may be sent twice`)
    }
    for (const segment of segments.takeDone()) remove(segment)
  }

  const remove = (segment: number): void => {
    try {
      unlinkSync(segmentFile(path, segment))
    } catch {
      // Whoever takes the log over finds it behind the position.
    }
  }

  const seal = (): void => {
    segments.seal()
    writer?.seal()
  }

  /** The stretch cannot be read, and passes for done. */
  const skip = (stretch: Stretch, error: unknown, pass: (place: number) => void): void => {
    if (!existsSync(path)) return lose()
    parts.setAside(stretch.segment, codeOf(error))
    pass(stretch.start + stretch.bytes)
    settle()
  }

  const fileOf = ({ segment }: Stretch): string => segmentFile(path, segment)

  const runOf = (lines: readonly string[], end: number): EventRun => ({
    events: lines.filter(parts.accepts),
    remove: hold(end, lines.length),
  })

  const hold = (end: number, events: number): (() => void) => {
    segments.hold(end)
    let isRemoved = false
    return () => {
      if (isRemoved || isLost) return
      isRemoved = true
      count = Math.max(0, count - events)
      segments.advance(end)
      settle()
    }
  }

  const attempt = (lines: readonly string[]): ReturnType<SegmentWriter['append']> | undefined => {
    try {
      return writer!.append(`${lines.join('\n')}\n`)
    } catch (error) {
      if (existsSync(path)) throw error
      lose()
      return undefined
    }
  }

  return {
    name,
    count: () => count,
    length: () => segments.waiting() - count,
    isLost: () => isLost,
    hold,

    append(lines) {
      const grown = attempt(lines)
      if (!grown) return undefined
      const { segment, bytes } = grown
      // Only after the write: a log that is taken over later is read with what was just written.
      if (!isInPlace(path, segment)) {
        lose()
        return undefined
      }
      if (bytes === writer!.size()) segments.add(segment, 0)
      const start = segments.end()
      segments.grow(bytes)
      count += lines.length
      if (writer!.size() >= SEGMENT_MAX_BYTES) seal()
      return start
    },

    async read(maxEvents, maxLength) {
      for (;;) {
        const stretch = isLost ? undefined : segments.oldest()
        if (!stretch) return undefined
        try {
          const { lines, bytes } = await readLines(fileOf(stretch), stretch, { maxEvents, maxLength, eventBytes })
          const run = runOf(lines, stretch.start + bytes)
          if (lines.length) eventBytes = bytes / lines.length
          if (run.events.length) return run
          run.remove()
          // No line, and no more bytes: what a kill or a power loss left of the last one.
          if (!bytes) {
            warn(`an event was not written to its end; it is left out (${path})`)
            segments.advance(stretch.start + stretch.bytes)
            settle()
          }
        } catch (error) {
          if (PASSING.test(codeOf(error))) throw error
          skip(stretch, error, segments.advance)
        }
      }
    },

    dropOldest(events, length) {
      const dropped: string[] = []
      let droppedLength = 0
      while (dropped.length < events || droppedLength < length) {
        const stretch = isLost ? undefined : segments.droppable()
        if (!stretch) break
        try {
          const part = readLinesNow(fileOf(stretch), stretch, length - droppedLength)
          let bytes = 0
          for (const line of part.lines) {
            if (dropped.length >= events && droppedLength >= length) break
            const lineBytes = Buffer.byteLength(line)
            bytes += lineBytes + 1
            droppedLength += lineBytes
            dropped.push(line)
            count = Math.max(0, count - 1)
          }
          segments.drop(stretch.start + (part.lines.length ? bytes : stretch.bytes))
        } catch (error) {
          if (PASSING.test(codeOf(error))) break
          skip(stretch, error, segments.drop)
        }
      }
      settle()
      return dropped.filter(parts.accepts)
    },

    beat(seconds) {
      try {
        utimesSync(path, seconds, seconds)
      } catch (error) {
        if (codeOf(error) === 'ENOENT') lose()
      }
    },

    release() {
      if (isLost) return
      seal()
      settle()
      isLost = true
      try {
        if (segments.waiting() || !isRemoved(path)) renameSync(path, parts.freePath)
      } catch {
        // Others see that this process has ended.
      }
    },
  }
}

/** Removes a log's folder when nothing is left in it: never a file that this process does not know. */
const isRemoved = (path: string): boolean => {
  try {
    removePosition(path)
    rmdirSync(path)
    return true
  } catch {
    return false
  }
}
