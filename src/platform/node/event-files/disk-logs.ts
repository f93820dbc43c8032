import { mkdirSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import type { Clock } from '../../../port/clock.ts'
import type { EventBatch, EventLogLimits } from '../../../port/event-log.ts'
import type { RandomBytes } from '../../../port/random.ts'
import { createDamagedDataStore } from './damaged-data-store.ts'
import { isEventJson } from './event-lines.ts'
import { fsyncCalls } from './fsync-calls.ts'
import { getErrorCode } from './get-error-code.ts'
import { HEARTBEAT_INTERVAL_MS } from './heartbeat-monitor.ts'
import { createLogFolder } from './log-folder.ts'
import type { LogFolder, LogFolderOptions, OwnLog } from './log-folder.ts'
import { createLogName, formatLogFolderName, FREE_OWNER } from './log-folder-name.ts'
import { openTakenOverLog } from './open-taken-over-log.ts'
import { createOwnerId } from './owner.ts'
import { segmentPath } from './segment-path.ts'
import { createSegmentWriter } from './segment-writer.ts'
import { createSegments } from './segments.ts'
import { createSyncer } from './syncer.ts'
import { createTakeOverDeadLogs } from './take-over-dead-logs.ts'
import type { TakenOverFolder } from './take-over-dead-logs.ts'

/** Protects the first appended events, of `bytes` with line breaks, from being dropped; the returned function removes them. */
export type ReserveAppended = (bytes: number, events: number) => () => void

/** All logs of this owner: the one that it writes, and those that it has taken over. */
export interface DiskLogs {
  /** Throws when the disk does not take the events. */
  append(lines: readonly string[]): ReserveAppended
  /** The oldest events; undefined when none are pending. */
  read(maxEvents: number, maxLength: number): Promise<EventBatch | undefined>
  size(): number
  /** Whether this many more events would exceed the limits, by the last measurement. */
  wouldExceedLimits(events: number, bytes: number): boolean
  /** Drops some of the events beyond the limits and returns them. Empty when nothing is left to drop, or during a read. */
  dropExcess(): readonly string[]
  whenSynced(): Promise<void>
  close(): void
}

export interface DiskLogsOptions {
  readonly directory: string
  /** The folder of all logs, inside `directory`. */
  readonly root: string
  readonly limits: EventLogLimits
  readonly clock: Clock
  readonly random: RandomBytes
  readonly onTakeOver: () => void
  readonly warn: (message: string) => void
}

/** A log that is lost immediately after its creation this many times in a row is an error of the disk. */
const MAX_APPEND_ATTEMPTS = 3

/** Delay before a read that failed is retried. */
const READ_RETRY_MS = 1_000

/** When a limit is reached, 1/1024 of it is dropped beyond the excess, so that not every further event needs a read and a write. */
const MARGIN_DIVISOR = 1024

/** Limits of one drop, which keep the dropped events small in memory. */
const MAX_DROPPED_EVENTS = 10_000
const MAX_DROPPED_BYTES = 4 * 2 ** 20

/** Random bytes in the name of a log, and in an owner id. */
const ID_BYTES = 6

export const createDiskLogs = (options: DiskLogsOptions): DiskLogs => {
  const { directory, root, limits, clock, warn } = options
  const owner = createOwnerId(options.random(ID_BYTES))
  const syncer = createSyncer(fsyncCalls, clock, warn)
  const takeOverDeadLogs = createTakeOverDeadLogs({ root, owner, clock, warn, canTakeOver: () => !isClosed })
  const damagedFolder = join(root, 'damaged')
  const damagedData = createDamagedDataStore(damagedFolder)
  let ownLog: OwnLog | undefined
  let takenOverLogs: readonly LogFolder[] = []
  // Pending at the last measurement; the real values can only be lower since then.
  let measured = { events: 0, length: 0 }
  let isReading = false
  let isClosed = false
  let heartbeatSeconds = 0

  const allLogs = (): readonly LogFolder[] => (ownLog ? [...takenOverLogs, ownLog] : takenOverLogs)

  const size = (): number => takenOverLogs.reduce((sum, log) => sum + log.count(), ownLog?.count() ?? 0)

  const length = (): number => takenOverLogs.reduce((sum, log) => sum + log.length(), ownLog?.length() ?? 0)

  const measure = (): void => {
    measured = { events: size(), length: length() }
  }

  /** The options that own logs and logs of other owners have in common. */
  const createFolderOptions = (
    log: string,
  ): Pick<LogFolderOptions, 'name' | 'path' | 'freePath' | 'moveDamagedSegment' | 'warn'> => {
    const path = join(root, formatLogFolderName({ log, owner }))
    return {
      name: log,
      path,
      freePath: join(root, formatLogFolderName({ log, owner: FREE_OWNER })),
      moveDamagedSegment(segment, reason) {
        warn(`cannot read ${segmentPath(path, segment)} (${reason}); it is skipped and moved to ${damagedFolder}`)
        damagedData.moveFile(log, segmentPath(path, segment), segment)
      },
      warn,
    }
  }

  const createOwnLog = (): OwnLog => {
    mkdirSync(root, { recursive: true, mode: 0o700 })
    const folder = createFolderOptions(createLogName(clock.now(), options.random(ID_BYTES)))
    mkdirSync(folder.path, { mode: 0o700 })
    syncer.markFolder(directory)
    syncer.markFolder(root)
    return createLogFolder({
      ...folder,
      segments: createSegments(),
      count: 0,
      writer: createSegmentWriter(folder.path, syncer),
      isValidLine: () => true,
    })
  }

  const openTakenOver = async ({ log, path }: TakenOverFolder): Promise<void> => {
    try {
      const { segments, count } = await openTakenOverLog(path)
      const isValidLine = (line: string): boolean => {
        if (isEventJson(line)) return true
        warn(`a line in ${path} is not an event; it is skipped and saved in ${damagedFolder}`)
        damagedData.saveLine(log, line)
        return false
      }
      const folder = createLogFolder({ ...createFolderOptions(log), segments, count, isValidLine })
      if (isClosed) return folder.release()
      takenOverLogs = [...takenOverLogs, folder].sort((a, b) => (a.name < b.name ? -1 : 1))
      measure()
    } catch (error) {
      warn(`cannot read ${path} (${getErrorCode(error)}); its events stay there for a later attempt`)
      tryToFree(path, createFolderOptions(log).freePath)
    }
  }

  const scan = async (): Promise<void> => {
    const before = takenOverLogs
    for (const folder of await takeOverDeadLogs()) await openTakenOver(folder)
    if (takenOverLogs !== before && !isClosed) options.onTakeOver()
  }

  const sendHeartbeat = (): void => {
    // Increases even when the clock goes back, because other processes only see that the value changes.
    heartbeatSeconds = Math.max(heartbeatSeconds + 1, Math.floor(clock.now() / 1000))
    for (const log of allLogs()) log.writeHeartbeat(heartbeatSeconds)
    cancelHeartbeat = clock.after(HEARTBEAT_INTERVAL_MS, sendHeartbeat)
    runningScan ??= startScan()
  }

  const readOldest = async (maxEvents: number, maxLength: number): Promise<EventBatch | undefined> => {
    for (const log of takenOverLogs) {
      const batch = await log.read(maxEvents, maxLength)
      if (batch) return batch
      // Delivered completely, or taken over by another owner.
      log.release()
      takenOverLogs = takenOverLogs.filter((takenOverLog) => takenOverLog !== log)
    }
    return ownLog?.read(maxEvents, maxLength)
  }

  const startScan = (): Promise<void> =>
    scan()
      .catch((error: unknown) => warn(`cannot scan ${root} for events of earlier processes: ${String(error)}`))
      .finally(() => {
        runningScan = undefined
      })

  const firstScan = startScan()
  let runningScan: Promise<void> | undefined = firstScan
  let cancelHeartbeat = clock.after(HEARTBEAT_INTERVAL_MS, sendHeartbeat)

  return {
    append(lines) {
      for (let attempts = 0; attempts < MAX_APPEND_ATTEMPTS; attempts++) {
        if (ownLog?.isLost()) ownLog = undefined
        const log = (ownLog ??= createOwnLog())
        const start = log.append(lines)
        if (start !== undefined) return (bytes, events) => log.reserve(start + bytes, events)
      }
      throw new Error('the folder of the log keeps disappearing')
    },

    async read(maxEvents, maxLength) {
      await firstScan
      isReading = true
      try {
        for (;;) {
          try {
            return isClosed ? undefined : await readOldest(maxEvents, maxLength)
          } catch (error) {
            warn(`cannot read events (${getErrorCode(error)}); the read is retried`)
            await new Promise<void>((resolve) => clock.after(READ_RETRY_MS, resolve))
          }
        }
      } finally {
        isReading = false
      }
    },

    size,

    wouldExceedLimits: (events, bytes) =>
      measured.events + events > limits.maxEvents || measured.length + bytes > limits.maxBytes,

    dropExcess() {
      measure()
      const targetEvents = measured.events > limits.maxEvents ? subtractMargin(limits.maxEvents) : Infinity
      const targetLength = measured.length > limits.maxBytes ? subtractMargin(limits.maxBytes) : Infinity
      if (isReading || (targetEvents === Infinity && targetLength === Infinity)) return []
      for (const log of allLogs()) {
        const dropped = log.dropOldest(
          Math.min(measured.events - targetEvents, MAX_DROPPED_EVENTS),
          Math.min(measured.length - targetLength, MAX_DROPPED_BYTES),
        )
        measure()
        if (dropped.length) return dropped
      }
      return []
    },

    whenSynced: () => syncer.whenSynced(),

    close() {
      isClosed = true
      cancelHeartbeat()
      for (const log of allLogs()) log.release()
      takenOverLogs = []
      ownLog = undefined
    },
  }
}

const subtractMargin = (limit: number): number =>
  limit === Infinity ? limit : limit - Math.floor(limit / MARGIN_DIVISOR)

/** Lets a later scan, or another process, take the log over. */
const tryToFree = (path: string, freePath: string): void => {
  try {
    renameSync(path, freePath)
  } catch {
    // This owner keeps the log until its process ends.
  }
}
