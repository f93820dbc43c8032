import { mkdirSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import type { Clock } from '../../../port/clock.ts'
import type { EventLogBounds, EventRun } from '../../../port/event-log.ts'
import type { RandomBytes } from '../../../port/random.ts'
import { createDamaged } from './damaged.ts'
import { codeOf } from './error-code.ts'
import { isEvent } from './lines.ts'
import { createLogFolder } from './log-folder.ts'
import type { LogFolder, LogFolderParts, OwnLog } from './log-folder.ts'
import { folderName, FREE, newLog } from './log-name.ts'
import { openTaken } from './open-taken.ts'
import { newOwner } from './owner.ts'
import { segmentFile } from './segment-file.ts'
import { createSegmentWriter } from './segment-writer.ts'
import { createSegments } from './segments.ts'
import { BEAT_MS } from './silence.ts'
import { syncCalls } from './sync-calls.ts'
import { createSyncer } from './syncer.ts'
import { createTakeOver } from './take-over.ts'
import type { TakenName } from './take-over.ts'

/** Protects the first events of those that were appended, which take so many bytes with their ends; the answer takes them out. */
export type Hold = (bytes: number, events: number) => () => void

/** All logs that are ours: the one that is written, and those that were taken over. */
export interface DiskLogs {
  /** Throws when the disk does not take the events. */
  append(lines: readonly string[]): Hold
  /** The oldest events; undefined when none waits. */
  read(maxEvents: number, maxLength: number): Promise<EventRun | undefined>
  size(): number
  /** Whether more may wait than is allowed, with so much more; told without a look at each log. */
  isOver(events: number, length: number): boolean
  /** Drops of what is too much a part, and answers it; nothing once there is no more, or while events are read. */
  trim(): readonly string[]
  settled(): Promise<void>
  close(): void
}

export interface DiskLogsOptions {
  readonly directory: string
  /** The folder of all logs, within. */
  readonly root: string
  readonly bounds: EventLogBounds
  readonly clock: Clock
  readonly random: RandomBytes
  readonly onFound: () => void
  readonly warn: (message: string) => void
}

/** So often a log is begun anew that somebody takes away at once; then it is a fault of the disk. */
const TRIES = 3

/** Pause before a read that failed for a moment is made again. */
const READ_AGAIN_MS = 1_000

/** This part of a bound is dropped at once when it is reached: not a read and a write for each event from then on. */
const SLACK = 1024

/** So much is dropped in one go: memory need not hold all that is too much. */
const DROP_MAX = 10_000
const DROP_MAX_BYTES = 4 * 2 ** 20

/** Of a log, and of an agent among those of its thread. */
const ID_BYTES = 6

export const createDiskLogs = (options: DiskLogsOptions): DiskLogs => {
  const { directory, root, bounds, clock, warn } = options
  const self = newOwner(options.random(ID_BYTES))
  const syncer = createSyncer(syncCalls, clock, warn)
  const takeOver = createTakeOver({ root, self, clock, warn, mayTake: () => !isClosed })
  const damaged = createDamaged(join(root, 'damaged'))
  let own: OwnLog | undefined
  let taken: readonly LogFolder[] = []
  // What waited when it was measured last; since then it can only have become less.
  let known = { events: 0, length: 0 }
  let isReading = false
  let isClosed = false
  let beats = 0

  const logs = (): readonly LogFolder[] => (own ? [...taken, own] : taken)

  const size = (): number => taken.reduce((sum, log) => sum + log.count(), own?.count() ?? 0)

  const length = (): number => taken.reduce((sum, log) => sum + log.length(), own?.length() ?? 0)

  const measure = (): void => {
    known = { events: size(), length: length() }
  }

  /** What a log needs, whoever wrote it. */
  const folderOf = (log: string): Pick<LogFolderParts, 'name' | 'path' | 'freePath' | 'setAside' | 'warn'> => {
    const path = join(root, folderName({ log, owner: self }))
    return {
      name: log,
      path,
      freePath: join(root, folderName({ log, owner: FREE })),
      setAside(segment, reason) {
        warn(`${segmentFile(path, segment)} cannot be read (${reason}); its events are left out`)
        damaged.keepFile(log, segmentFile(path, segment), segment)
      },
      warn,
    }
  }

  const begin = (): OwnLog => {
    mkdirSync(root, { recursive: true, mode: 0o700 })
    const folder = folderOf(newLog(clock.now(), options.random(ID_BYTES)))
    mkdirSync(folder.path, { mode: 0o700 })
    syncer.named(directory)
    syncer.named(root)
    return createLogFolder({
      ...folder,
      segments: createSegments(),
      count: 0,
      writer: createSegmentWriter(folder.path, syncer),
      accepts: () => true,
    })
  }

  const openOne = async ({ log, path }: TakenName): Promise<void> => {
    try {
      const { segments, count } = await openTaken(path)
      const accepts = (line: string): boolean => {
        if (isEvent(line)) return true
        warn(`a line of ${path} is no event; it is left out, and kept in ${join(root, 'damaged')}`)
        damaged.keepLine(log, line)
        return false
      }
      const folder = createLogFolder({ ...folderOf(log), segments, count, accepts })
      if (isClosed) return folder.release()
      taken = [...taken, folder].sort((a, b) => (a.name < b.name ? -1 : 1))
      measure()
    } catch (error) {
      warn(`${path} cannot be read (${codeOf(error)}); its events wait`)
      giveBack(path, folderOf(log).freePath)
    }
  }

  const round = async (): Promise<void> => {
    const before = taken
    for (const name of await takeOver()) await openOne(name)
    if (taken !== before && !isClosed) options.onFound()
  }

  const beat = (): void => {
    // Never the same twice, whatever the clock does: a change is what counts.
    beats = Math.max(beats + 1, Math.floor(clock.now() / 1000))
    for (const log of logs()) log.beat(beats)
    cancel = clock.after(BEAT_MS, beat)
    rounds ??= lookThrough()
  }

  const oldest = async (maxEvents: number, maxLength: number): Promise<EventRun | undefined> => {
    for (const log of taken) {
      const run = await log.read(maxEvents, maxLength)
      if (run) return run
      // Delivered, or somebody else's by now.
      log.release()
      taken = taken.filter((other) => other !== log)
    }
    return own?.read(maxEvents, maxLength)
  }

  const lookThrough = (): Promise<void> =>
    round()
      .catch((error: unknown) => warn(`${root} could not be looked through: ${String(error)}`))
      .finally(() => {
        rounds = undefined
      })

  const ready = lookThrough()
  let rounds: Promise<void> | undefined = ready
  let cancel = clock.after(BEAT_MS, beat)

  return {
    append(lines) {
      for (let tries = 0; tries < TRIES; tries++) {
        if (own?.isLost()) own = undefined
        const log = (own ??= begin())
        const start = log.append(lines)
        if (start !== undefined) return (bytes, events) => log.hold(start + bytes, events)
      }
      throw new Error('the files are taken away')
    },

    async read(maxEvents, maxLength) {
      await ready
      isReading = true
      try {
        for (;;) {
          try {
            return isClosed ? undefined : await oldest(maxEvents, maxLength)
          } catch (error) {
            warn(`events cannot be read for now (${codeOf(error)})`)
            await new Promise<void>((resolve) => clock.after(READ_AGAIN_MS, resolve))
          }
        }
      } finally {
        isReading = false
      }
    },

    size,

    isOver: (events, more) => known.events + events > bounds.maxEvents || known.length + more > bounds.maxLength,

    trim() {
      measure()
      const events = known.events > bounds.maxEvents ? lessSlack(bounds.maxEvents) : Infinity
      const bytes = known.length > bounds.maxLength ? lessSlack(bounds.maxLength) : Infinity
      if (isReading || (events === Infinity && bytes === Infinity)) return []
      for (const log of logs()) {
        const dropped = log.dropOldest(
          Math.min(known.events - events, DROP_MAX),
          Math.min(known.length - bytes, DROP_MAX_BYTES),
        )
        measure()
        if (dropped.length) return dropped
      }
      return []
    },

    settled: () => syncer.settled(),

    close() {
      isClosed = true
      cancel()
      for (const log of logs()) log.release()
      taken = []
      own = undefined
    },
  }
}

const lessSlack = (bound: number): number => (bound === Infinity ? bound : bound - Math.floor(bound / SLACK))

/** For the next round, or for another process. */
const giveBack = (path: string, freePath: string): void => {
  try {
    renameSync(path, freePath)
  } catch {
    // It stays ours until this process ends.
  }
}
