/**
 * The durable event log: events in files that outlive the process, in a folder that any number of processes share.
 *
 * ```
 * <persistenceDir>/
 *   waymark-<hash of service and project key>/            one folder per project, so that agents of other projects never see it
 *     <log>~<owner>/                                      one log per agent, named by creation time and by the thread that owns it
 *       00000000.jsonl  00000001.jsonl …                  segments: one event per line, as its final JSON; append-only
 *       position                                          segment and byte up to which events are delivered
 *     <log>~free/                                         a log that an agent released at its shutdown
 *     damaged/                                            lines and files that cannot be read
 * ```
 *
 * - **Writing.** All events of one event-loop turn go to the current segment in one write at the end of the turn; fdatasync follows in the
 *   background. After each write the segment must still exist under the owner's name. If it does not, another process has declared this
 *   owner dead and may have read the file before the write. The events are then written again, to a new log. So a process that wakes up
 *   after a long stop loses none.
 * - **Reading.** Events come from the files, oldest first; logs of dead owners come before the own log. A delivered batch moves the
 *   position. A completely delivered segment is removed, and so is a log without events.
 * - **Taking over.** At start and every ten seconds, the folder of each dead owner is renamed to the name of the new owner. Renaming is
 *   atomic, so one of the competing processes wins the whole log. On the same host and in the same container the kernel tells which owners
 *   live. Others are dead when they have not touched their folder for more than 100 seconds. The log of a living owner is never taken.
 * - **Errors.** Events that the disk refuses stay in memory, within limits, until the disk takes them. An incomplete last line is skipped.
 *   A line that is not an event, or a file that cannot be read, is moved aside. The events of a deleted folder are lost, with a warning.
 */
import { createHash } from 'node:crypto'
import { join, resolve } from 'node:path'
import { setImmediate } from 'node:timers'
import { isLongerThan } from '../../../codec/byte-limit.ts'
import type { Clock } from '../../../port/clock.ts'
import type { EventLog, EventBatch, EventLogLimits } from '../../../port/event-log.ts'
import type { RandomBytes } from '../../../port/random.ts'
import { noop } from '../../../lib/noop.ts'
import { createDiskLogs } from './disk-logs.ts'
import type { ReserveAppended } from './disk-logs.ts'
import { createEventBuffer } from './event-buffer.ts'
import { getErrorCode } from './get-error-code.ts'
import { throttleWarnings } from './throttle-warnings.ts'

export interface EventFilesOptions {
  /** `persistenceDir`. Created when it is missing. */
  readonly directory: string
  /** Service and project of the events (host and project key); only a hash of it appears on the disk. */
  readonly project: string
  /** Limits for the disk, own and taken-over events together, in events and bytes of JSON. Beyond them the oldest events are dropped. */
  readonly limits: EventLogLimits
  /** Limits for memory, while the disk refuses writes. */
  readonly memoryLimits: EventLogLimits
  readonly clock: Clock
  readonly random: RandomBytes
  readonly onDrop: (json: string, reason: 'queue_overflow' | 'too_large' | 'storage_unavailable') => void
  /** Called when events of another process were taken over and can be delivered. */
  readonly onTakeOver: () => void
  readonly warn: (message: string) => void
}

/** Characters of JSON after which events are written before the turn ends; bounds the memory of a long turn. */
const MAX_BUFFERED_LENGTH = 2 ** 20

/** Delay between two attempts to write to a disk that refuses writes. */
const WRITE_RETRY_MS = 1_000

/** A batch of events that are only in memory. */
interface MemoryBatch {
  readonly events: readonly string[]
  /** Replaced when the events are written to the disk while the batch is in flight. */
  remove: () => void
}

/** Opens the log. Writes nothing before the first event. */
export const openEventFiles = (options: EventFilesOptions): EventLog => {
  const { limits, memoryLimits, clock, onDrop } = options
  // Resolved once, because the process may change its working directory.
  const directory = resolve(options.directory)
  const warn = throttleWarnings(options.warn, clock)
  const root = join(directory, `waymark-${createHash('sha256').update(options.project).digest('hex').slice(0, 16)}`)
  const disk = createDiskLogs({ ...options, directory, root, warn })
  const buffer = createEventBuffer(memoryLimits.maxBytes)
  let memoryBatch: MemoryBatch | undefined
  let writes = 0
  let isWriteScheduled = false
  let isFailing = false
  let isClosed = false
  let cancelRetry = noop

  const write = (): void => {
    cancelRetry()
    try {
      while (buffer.size()) {
        // Takes the whole memory batch, so that a batch is never partly on the disk.
        const lines = buffer.peek(Infinity, Math.max(MAX_BUFFERED_LENGTH, sumLength(memoryBatch?.events)))
        writes++
        moveBatchToDisk(disk.append(lines))
        buffer.removeOldest(lines.length)
      }
      isFailing = false
    } catch (error) {
      isFailing = true
      warn(`cannot write to ${root} (${getErrorCode(error)}); events stay in memory until it can be written`)
      if (!isClosed) cancelRetry = clock.after(WRITE_RETRY_MS, write)
    }
    dropExcess()
  }

  /** From now on the batch in flight removes its events from the disk. */
  const moveBatchToDisk = (reserve: ReserveAppended): void => {
    if (!memoryBatch) return
    const bytes = memoryBatch.events.reduce((sum, json) => sum + Buffer.byteLength(json) + 1, 0)
    memoryBatch.remove = reserve(bytes, memoryBatch.events.length)
    memoryBatch = undefined
  }

  const dropExcess = (): void => {
    for (let dropped = disk.dropExcess(); dropped.length; dropped = disk.dropExcess()) {
      for (const json of dropped) onDrop(json, 'queue_overflow')
    }
    if (!isFailing) return
    while (buffer.size() > memoryLimits.maxEvents || buffer.isFull()) {
      const json = buffer.removeAt(memoryBatch?.events.length ?? 0)
      if (json === undefined) return
      onDrop(json, 'queue_overflow')
    }
  }

  /** Counts bytes only when necessary: a UTF-16 code unit takes at most three bytes. */
  const wouldExceedLimits = (): boolean =>
    disk.wouldExceedLimits(buffer.size(), 3 * buffer.length()) &&
    disk.wouldExceedLimits(buffer.size(), buffer.byteLength())

  const endTurn = (): void => {
    isWriteScheduled = false
    if (!isFailing) write()
  }

  const readFromMemory = (maxEvents: number, maxLength: number): EventBatch => {
    if (memoryBatch) memoryBatch.remove = noop
    const events = buffer.peek(maxEvents, maxLength)
    const batch: MemoryBatch = {
      events,
      remove() {
        buffer.removeOldest(events.length)
        memoryBatch = undefined
      },
    }
    memoryBatch = batch
    return {
      events,
      remove() {
        batch.remove()
        batch.remove = noop
      },
    }
  }

  return {
    append(json) {
      if (isLongerThan(json, limits.maxBytes)) return onDrop(json, 'too_large')
      buffer.push(json)
      if (isClosed) return
      if (isFailing) dropExcess()
      else if (buffer.length() >= MAX_BUFFERED_LENGTH || wouldExceedLimits()) write()
      else if (!isWriteScheduled) {
        isWriteScheduled = true
        setImmediate(endTurn)
      }
    },

    async readOldest(maxEvents, maxLength) {
      write()
      for (;;) {
        const writesBefore = writes
        const batch = await disk.read(maxEvents, maxLength)
        dropExcess()
        if (batch || isClosed || !buffer.size()) return batch
        // A write during the read has put older events on the disk; they come first.
        if (writes === writesBefore) return readFromMemory(maxEvents, maxLength)
      }
    },

    size: () => disk.size() + buffer.size(),

    writeSync: write,

    async whenDurable() {
      write()
      await disk.whenSynced()
    },

    close() {
      isClosed = true
      write()
      cancelRetry()
      disk.close()
      const unwritten = buffer.peek(Infinity, Infinity)
      buffer.removeOldest(unwritten.length)
      return unwritten
    },
  }
}

const sumLength = (events: readonly string[] = []): number => events.reduce((sum, json) => sum + json.length + 1, 0)
