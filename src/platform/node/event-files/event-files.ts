/**
 * The durable event log: events in files that outlive the process, in a folder that any number of processes share.
 *
 * ```
 * <persistenceDir>/
 *   waymark-<hash of service and project key>/            one folder per project: agents of another never see it
 *     <log>~<owner>/                                      one log per agent, named by its birth and by the thread that owns it
 *       00000000.jsonl  00000001.jsonl …                  segments: one event per line, as its final JSON; only ever appended to
 *       position                                          segment and byte up to where its events are delivered
 *     <log>~free/                                         left behind by an agent that was shut down
 *     damaged/                                            lines and files that could not be understood
 * ```
 *
 * - **Writing.** Events of one event-loop turn go to the running segment in one write at the turn's end, and to the disk (fdatasync) behind it. After each
 *   write the segment must still lie under the owner's name. If it does not, somebody has taken the owner for dead, and may have read the
 *   file to its end before the write: the events are written once more, to a new log. So a process that wakes up after a long stop loses none.
 * - **Reading.** Oldest first, from the files; the logs of dead owners before the own one. A run that was delivered moves the position; a
 *   segment that is delivered to its end is removed, and a log with nothing left is, too.
 * - **Taking over.** At start and every ten seconds. A dead owner's folder is renamed to the taker's name: renaming is atomic, so one of all
 *   that try wins, for the whole log. On the same host and in the same container the kernel tells who lives; others are dead when they have not touched
 *   their folder for more than 100 seconds. A living owner's log is nobody else's.
 * - **Faults.** What the disk does not take waits in memory, within bounds, and is written when it takes it. A last line without its end
 *   is left out; a line that is no event, or a file that cannot be read, is put aside. The events of a folder that is deleted are lost, with
 *   a warning.
 */
import { createHash } from 'node:crypto'
import { join, resolve } from 'node:path'
import { setImmediate } from 'node:timers'
import type { Clock } from '../../../port/clock.ts'
import type { EventLog, EventLogBounds, EventRun } from '../../../port/event-log.ts'
import type { RandomBytes } from '../../../port/random.ts'
import { createDiskLogs } from './disk-logs.ts'
import type { Hold } from './disk-logs.ts'
import { codeOf } from './error-code.ts'
import { seldom } from './seldom.ts'
import { createWaiting } from './waiting.ts'

export interface EventFilesOptions {
  /** `persistenceDir`. Made when it is missing. */
  readonly directory: string
  /** Which project of which service the events are for (host and project key); only its hash is seen. */
  readonly project: string
  /** What may wait on the disk, in events and bytes of JSON: the agent's own, and what it has taken over. The oldest are dropped beyond it. */
  readonly bounds: EventLogBounds
  /** What may wait in memory while the disk takes nothing. */
  readonly memoryBounds: EventLogBounds
  readonly clock: Clock
  readonly random: RandomBytes
  readonly onDrop: (json: string, reason: 'queue_overflow' | 'too_large' | 'storage_unavailable') => void
  /** Events of other processes have come: deliver, though none was captured. */
  readonly onFound: () => void
  readonly warn: (message: string) => void
}

/** Characters of JSON that are written at once, within a turn as well: what memory holds of a long turn. */
const WRITE_LENGTH = 2 ** 20

/** Pause between two tries to write to a disk that takes nothing. */
const TRY_AGAIN_MS = 1_000

/** A run of events that only memory holds. */
interface MemoryRun {
  readonly events: readonly string[]
  /** Changes when the events are written to the disk meanwhile. */
  remove: () => void
}

/** Opens the log. Nothing is written before the first event. */
export const openEventFiles = (options: EventFilesOptions): EventLog => {
  const { bounds, memoryBounds, clock, onDrop } = options
  // The process may go to another folder.
  const directory = resolve(options.directory)
  const warn = seldom(options.warn, clock)
  const root = join(directory, `waymark-${createHash('sha256').update(options.project).digest('hex').slice(0, 16)}`)
  const disk = createDiskLogs({ ...options, directory, root, warn })
  const waiting = createWaiting()
  let run: MemoryRun | undefined
  let writes = 0
  let isTurnOpen = false
  let isFailing = false
  let isClosed = false
  let cancel = (): void => {}

  const write = (): void => {
    cancel()
    try {
      while (waiting.size()) {
        // A run never lies on both sides.
        const lines = waiting.first(Infinity, Math.max(WRITE_LENGTH, lengthOf(run?.events)))
        writes++
        handOver(disk.append(lines))
        waiting.remove(lines.length)
      }
      isFailing = false
    } catch (error) {
      isFailing = true
      warn(`cannot write to ${root} (${codeOf(error)}); events wait in memory until it can`)
      if (!isClosed) cancel = clock.after(TRY_AGAIN_MS, write)
    }
    trim()
  }

  /** The run's events are on the disk now, and are removed there. */
  const handOver = (hold: Hold): void => {
    if (!run) return
    const bytes = run.events.reduce((sum, json) => sum + Buffer.byteLength(json) + 1, 0)
    run.remove = hold(bytes, run.events.length)
    run = undefined
  }

  const trim = (): void => {
    for (let dropped = disk.trim(); dropped.length; dropped = disk.trim()) {
      for (const json of dropped) onDrop(json, 'queue_overflow')
    }
    if (!isFailing) return
    while (waiting.size() > memoryBounds.maxEvents || waiting.length() > memoryBounds.maxLength) {
      const json = waiting.dropAfter(run?.events.length ?? 0)
      if (json === undefined) return
      onDrop(json, 'queue_overflow')
    }
  }

  /** Counts bytes only when it must: a character takes three at most. */
  const isTooLarge = (json: string): boolean =>
    json.length * 3 > bounds.maxLength && Buffer.byteLength(json) > bounds.maxLength

  const endTurn = (): void => {
    isTurnOpen = false
    if (!isFailing) write()
  }

  const takeFromMemory = (maxEvents: number, maxLength: number): EventRun => {
    if (run) run.remove = () => {}
    const events = waiting.first(maxEvents, maxLength)
    const mine: MemoryRun = {
      events,
      remove() {
        waiting.remove(events.length)
        run = undefined
      },
    }
    run = mine
    return {
      events,
      remove() {
        mine.remove()
        mine.remove = () => {}
      },
    }
  }

  return {
    append(json) {
      if (isTooLarge(json)) return onDrop(json, 'too_large')
      waiting.push(json)
      if (isClosed) return
      if (isFailing) trim()
      else if (waiting.length() >= WRITE_LENGTH || disk.isOver(waiting.size(), waiting.length())) write()
      else if (!isTurnOpen) {
        isTurnOpen = true
        setImmediate(endTurn)
      }
    },

    async take(maxEvents, maxLength) {
      write()
      for (;;) {
        const before = writes
        const stored = await disk.read(maxEvents, maxLength)
        trim()
        if (stored || isClosed || !waiting.size()) return stored
        // Else the disk has older ones by now, which came while it was read.
        if (writes === before) return takeFromMemory(maxEvents, maxLength)
      }
    },

    size: () => disk.size() + waiting.size(),

    writeNow: write,

    async settled() {
      write()
      await disk.settled()
    },

    close() {
      isClosed = true
      write()
      cancel()
      disk.close()
      const left = waiting.first(Infinity, Infinity)
      waiting.remove(left.length)
      return left
    },
  }
}

const lengthOf = (events: readonly string[] = []): number => events.reduce((sum, json) => sum + json.length + 1, 0)
