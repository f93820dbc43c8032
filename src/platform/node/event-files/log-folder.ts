import { existsSync, renameSync, rmdirSync, unlinkSync, utimesSync } from 'node:fs'
import type { EventBatch } from '../../../port/event-log.ts'
import { getErrorCode } from './get-error-code.ts'
import { isLogPresent } from './is-log-present.ts'
import { removePosition, writePosition } from './position.ts'
import { readLines, readLinesSync } from './read-lines.ts'
import { segmentExists, segmentPath } from './segment-path.ts'
import type { SegmentWriter } from './segment-writer.ts'
import type { SegmentRange, Segments } from './segments.ts'

/** One log on the disk: the events of one thread, read by that thread or by the owner that has taken the log over. */
export interface LogFolder {
  /** Names sort by creation time. */
  readonly name: string
  /** Number of pending events. */
  count(): number
  /** Bytes of pending JSON. */
  length(): number
  /** The oldest events; undefined when none are pending or the log is lost. */
  read(maxEvents: number, maxLength: number): Promise<EventBatch | undefined>
  /**
   * Drops the oldest events that are in no batch, until at least `events` events and `length` bytes are dropped or none are left.
   * Must not be called during a read.
   *
   * @returns The dropped events.
   */
  dropOldest(events: number, length: number): readonly string[]
  /** Shows other processes that the owner is alive, by setting the folder's time. */
  writeHeartbeat(seconds: number): void
  /** True after another owner has taken the log over or its folder was deleted; then the log must not be used. */
  isLost(): boolean
  /** Leaves the log to the next owner, or removes it when no event is pending. */
  release(): void
}

/** A log that the current thread writes. */
export interface OwnLog extends LogFolder {
  /**
   * Appends events. Throws when the disk does not take them.
   *
   * @returns Log offset of the first one; undefined when the log is lost, because its new owner may have read it before this write.
   */
  append(lines: readonly string[]): number | undefined
  /** Protects everything before this log offset from being dropped; the returned function removes it, `events` in number. */
  reserve(logOffset: number, events: number): () => void
}

export interface LogFolderOptions {
  readonly name: string
  readonly path: string
  /** The folder's path after it is released. */
  readonly freePath: string
  readonly segments: Segments
  /** Number of events that are pending in it. */
  readonly count: number
  /** Missing for a log that was taken over. */
  readonly writer?: SegmentWriter
  /** Whether a line is an event; saves one that is not. Checks the lines of a log that was taken over, which a crash may have damaged. */
  readonly isValidLine: (line: string) => boolean
  /** Moves an unreadable segment out of the log. */
  readonly moveDamagedSegment: (segment: number, reason: string) => void
  readonly warn: (message: string) => void
}

/** A larger segment is sealed, so that its file can be removed when its events are delivered. */
const MAX_SEGMENT_BYTES = 4 * 2 ** 20

/** A completely delivered segment of this size is removed; a smaller one is appended to again. */
const MIN_REMOVABLE_SEGMENT_BYTES = 2 ** 20

/** First estimate of an event's size, corrected by each read. */
const INITIAL_EVENT_BYTES = 512

/** Conditions that pass, such as too many open files. */
const TRANSIENT_ERROR = /^(EMFILE|ENFILE|ENOMEM|EAGAIN|EBUSY|EINTR)$/

export const createLogFolder = (options: LogFolderOptions): OwnLog => {
  const { name, path, segments, writer, warn } = options
  let { count } = options
  let isLost = false
  let eventBytes = INITIAL_EVENT_BYTES
  let savedPosition = ''

  const markLost = (): void => {
    // Unknown here: whether a batch in flight was delivered, and whether another process has already delivered and removed the log.
    if (count && !isLogPresent(name, path))
      warn(`${path} is gone; up to ${count} events in it are lost, unless another process has delivered them`)
    isLost = true
    count = 0
    writer?.seal()
  }

  /** Saves the position, and removes the files of completed segments. */
  const saveProgress = (): void => {
    if (isLost) return
    if (!segments.pendingBytes() && (writer?.size() ?? 0) >= MIN_REMOVABLE_SEGMENT_BYTES) seal()
    const position = segments.position()
    const serialised = `${position.segment} ${position.offset}`
    try {
      if (serialised !== savedPosition) writePosition(path, position)
      savedPosition = serialised
    } catch (error) {
      if (getErrorCode(error) === 'ENOENT') return markLost()
      warn(`cannot save the delivery position in ${path} (${getErrorCode(error)}); some events may be sent twice`)
    }
    for (const segment of segments.takeCompleted()) removeSegment(segment)
  }

  const removeSegment = (segment: number): void => {
    try {
      unlinkSync(segmentPath(path, segment))
    } catch {
      // The next owner removes it, because it lies before the position.
    }
  }

  const seal = (): void => {
    segments.seal()
    writer?.seal()
  }

  /** Treats an unreadable range as completed. */
  const skipUnreadable = (range: SegmentRange, error: unknown, skipTo: (logOffset: number) => void): void => {
    if (!existsSync(path)) return markLost()
    options.moveDamagedSegment(range.segment, getErrorCode(error))
    skipTo(range.start + range.bytes)
    saveProgress()
  }

  const fileOf = ({ segment }: SegmentRange): string => segmentPath(path, segment)

  const createBatch = (lines: readonly string[], end: number): EventBatch => ({
    events: lines.filter(options.isValidLine),
    remove: reserve(end, lines.length),
  })

  const reserve = (end: number, events: number): (() => void) => {
    segments.reserve(end)
    let isRemoved = false
    return () => {
      if (isRemoved || isLost) return
      isRemoved = true
      count = Math.max(0, count - events)
      segments.completeTo(end)
      saveProgress()
    }
  }

  const tryAppend = (lines: readonly string[]): ReturnType<SegmentWriter['append']> | undefined => {
    try {
      return writer!.append(`${lines.join('\n')}\n`)
    } catch (error) {
      if (existsSync(path)) throw error
      markLost()
      return undefined
    }
  }

  return {
    name,
    count: () => count,
    length: () => segments.pendingBytes() - count,
    isLost: () => isLost,
    reserve,

    append(lines) {
      const appended = tryAppend(lines)
      if (!appended) return undefined
      const { segment, bytes } = appended
      // Checked after the write: an owner that takes the log over later reads these events too.
      if (!segmentExists(path, segment)) {
        markLost()
        return undefined
      }
      if (bytes === writer!.size()) segments.add(segment, 0)
      const start = segments.end()
      segments.grow(bytes)
      count += lines.length
      if (writer!.size() >= MAX_SEGMENT_BYTES) seal()
      return start
    },

    async read(maxEvents, maxLength) {
      for (;;) {
        const range = isLost ? undefined : segments.nextReadable()
        if (!range) return undefined
        try {
          const { lines, bytes } = await readLines(fileOf(range), range, { maxEvents, maxLength, eventBytes })
          const batch = createBatch(lines, range.start + bytes)
          if (lines.length) eventBytes = bytes / lines.length
          if (batch.events.length) return batch
          batch.remove()
          // The rest of the segment has no complete line: a kill or a power loss interrupted the last write.
          if (!bytes) {
            warn(`the last event in ${path} is incomplete and is skipped`)
            segments.completeTo(range.start + range.bytes)
            saveProgress()
          }
        } catch (error) {
          if (TRANSIENT_ERROR.test(getErrorCode(error))) throw error
          skipUnreadable(range, error, segments.completeTo)
        }
      }
    },

    dropOldest(events, length) {
      const dropped: string[] = []
      let droppedLength = 0
      while (dropped.length < events || droppedLength < length) {
        const range = isLost ? undefined : segments.nextDroppable()
        if (!range) break
        try {
          const { lines } = readLinesSync(fileOf(range), range, length - droppedLength)
          let bytes = 0
          for (const line of lines) {
            if (dropped.length >= events && droppedLength >= length) break
            const lineBytes = Buffer.byteLength(line)
            bytes += lineBytes + 1
            droppedLength += lineBytes
            dropped.push(line)
            count = Math.max(0, count - 1)
          }
          segments.dropTo(range.start + (lines.length ? bytes : range.bytes))
        } catch (error) {
          if (TRANSIENT_ERROR.test(getErrorCode(error))) break
          skipUnreadable(range, error, segments.dropTo)
        }
      }
      saveProgress()
      return dropped.filter(options.isValidLine)
    },

    writeHeartbeat(seconds) {
      try {
        utimesSync(path, seconds, seconds)
      } catch (error) {
        if (getErrorCode(error) === 'ENOENT') markLost()
      }
    },

    release() {
      if (isLost) return
      seal()
      saveProgress()
      isLost = true
      try {
        if (segments.pendingBytes() || !tryToRemove(path)) renameSync(path, options.freePath)
      } catch {
        // Other processes see that this one has ended.
      }
    },
  }
}

/** Removes a log's folder if it is empty otherwise. Files that the agent has not made stay. */
const tryToRemove = (path: string): boolean => {
  try {
    removePosition(path)
    rmdirSync(path)
    return true
  } catch {
    return false
  }
}
