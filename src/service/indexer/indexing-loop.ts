import type { Queue } from '../create-queue.ts'
import { createQueue } from '../create-queue.ts'
import { StoreOpeningError } from '../store/events/store-opening-error.ts'
import type { Inbox, InboxRow } from '../store/inbox/inbox.ts'
import { createLookAhead } from './look-ahead.ts'
import { createTurns } from './turns.ts'

/** Reads inbox rows in order and passes them to `index`, until it is stopped. */
export interface IndexingLoop {
  /** Notifies the loop that there may be new rows. */
  wake(): void
  /** Resolves when the running batch has ended. */
  stop(): Promise<void>
}

/** What the loop tells a running `index`. */
export interface IndexControl {
  /** Aborted by `stop`; the call may then reject before all rows are stored. */
  readonly signal: AbortSignal
  /**
   * Runs work while no other project's runs. What a call does outside, such as to open a store, overlaps with that of others.
   */
  readonly exclusively: Queue
  /**
   * Reads the next rows, which the call then stores as well; null if they must wait for the end of the call: they are few, or of other
   * projects, or something else has to be done first.
   *
   * @param storedThrough The project's rows up to this id are stored.
   */
  readonly readMore: (storedThrough: number) => readonly InboxRow[] | null
}

export interface IndexingLoopOptions {
  readonly inbox: Pick<Inbox, 'readAfter' | 'readOthersAfter' | 'lastAssignedId'>
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number
  /**
   * Stores rows of one project, and those that it reads by `readMore`. Called again, with the rows that are not stored, after a failure. `StoreOpeningError` is no failure: the project waits
   * until its store is open, and the others continue.
   */
  readonly index: (projectId: number, rows: readonly InboxRow[], control: IndexControl) => Promise<void>
  /** Rows up to this id are stored already and are not read. */
  readonly startAfter: number
  /**
   * Whether an earlier process may have died at some row. Until all rows of that time are stored, each project waits for the end of the one
   * before, so that it is clear which one was at fault.
   */
  readonly mayHaveDied: boolean
  /** Called when every row up to `position` is stored. */
  readonly onProgress: (position: number) => void
  /** Called when no unread row is left. */
  readonly onIdle: () => void
  /** Called with the error when the rows of a project cannot be stored, and with null when they can again. */
  readonly onFailure: (projectId: number, error: unknown) => void
  /** Called with the error when the inbox cannot be read, and with null when it can again. */
  readonly onReadFailure: (error: unknown) => void
}

/**
 * Size of a batch. It starts small, and doubles after each batch that was full: large commits cost less per event. After a
 * failure it starts small again, so that few rows are processed one at a time when one of them ends the process. The largest has about
 * 80,000 usual events, compressed; two batches may be in memory.
 */
const MIN_BATCH_BYTES = 512 * 1024
const MAX_BATCH_BYTES = 16 * 1024 * 1024

/**
 * Size of a batch of one project from which on the project continues with the rows that follow (`IndexControl.readMore`), and size of those.
 * The batches before are stored one by one, so that a process that dies again and again gets some rows done each time. Small sizes keep few
 * bodies in memory: 1 MB is read in a few milliseconds.
 */
const MIN_CONTINUED_BYTES = 2 * 1024 * 1024
const MORE_BYTES = 1024 * 1024

/** Milliseconds for which a project continues with rows that follow, before the loop looks whether others wait. */
const MAX_TURN_MS = 500

/** Rows per byte of a batch: one in 256 bytes, about the size of a compressed request with one event. */
const BYTES_PER_ROW = 256

/**
 * Pause after a batch that was not full, so that rows gather: a transaction costs the same for 1 row and for 100. It doubles up to the maximum
 * while rows keep arriving, which saves a third of the CPU for 2,000 events per second.
 */
const GATHER_MS = 20
const MAX_GATHER_MS = 100

/**
 * Projects with few rows that are indexed at once: one opens its store, which takes as long as to store a few events, while another stores its
 * rows.
 */
const PROJECTS_AT_ONCE = 2

/** Bytes of a project's rows from which on it is indexed after those with fewer, and alone: they would wait until all of its rows are stored. */
const MANY_BYTES = 256 * 1024

/** Delay of one poll without a wake-up after work: a message between processes is lost when either is killed. */
const POLL_MS = 250

/** Delay before a failed project is retried; doubles up to the maximum, which is also the longest wait after the cause has gone. */
const RETRY_MS = 250
const MAX_RETRY_MS = 10_000

/** Delay before an inbox that could not be read is read again. */
const READ_RETRY_MS = 1000

/** Longest sleep: timers hold 31 bits. */
const MAX_SLEEP_MS = 2 ** 30

/** An `index` that runs. */
interface RunningIndex {
  readonly projectId: number
  /** The last id of the rows that it was called with. */
  readonly lastId: number
  /** By the clock of the loop; later when no other project waited. */
  startedAt: number
  /** The first row that is not stored, as far as it told. */
  firstUnstored: number
}

interface ProjectFailure {
  /** The id of the project's first row that is not stored. */
  readonly row: number
  /** By the monotonic clock (`performance.now()`); infinite while the store opens. */
  retryAt: number
}

/**
 * Starts the loop. A project whose store fails is retried while the others continue; the position stays before its first
 * unstored row.
 */
export const startIndexingLoop = (options: IndexingLoopOptions): IndexingLoop => {
  const failures = new Map<number, ProjectFailure>()
  const attempts = new Map<number, number>()
  let lastRead = options.startAfter
  let batchBytes = MIN_BATCH_BYTES
  const lookAhead = createLookAhead(options.inbox)
  const turns = createTurns()
  const queue = createQueue()
  /** Rows up to this id may have ended an earlier process. */
  const suspectedThrough = options.mayHaveDied ? options.inbox.lastAssignedId() : 0
  let projectsAtOnce = options.mayHaveDied ? 1 : PROJECTS_AT_ONCE
  let isWoken = true
  const stopped = new AbortController()
  let endSleep: () => void = () => undefined
  let isWakeable = false

  /** Resolves after `ms`, at a stop, or at a wake-up if `until` is 'woken'. */
  const sleep = (ms: number, until: 'time' | 'woken'): Promise<void> =>
    new Promise((resolve) => {
      isWakeable = until === 'woken'
      const timer = setTimeout(resolve, ms)
      endSleep = () => {
        clearTimeout(timer)
        resolve()
      }
    })

  /**
   * Resolves to false if it failed.
   *
   * @param isWhole Whether the rows are a full batch.
   * @param atOnce The number of projects that are indexed at once: they share the time but for what one does exclusively.
   */
  const indexProject = async (
    projectId: number,
    rows: readonly InboxRow[],
    { isWhole, atOnce }: { readonly isWhole: boolean; readonly atOnce: number },
  ): Promise<boolean> => {
    if (failures.has(projectId)) return true
    const startedAt = options.now()
    let waitedMs = 0
    let exclusiveMs = 0
    const exclusively: Queue = (work) => {
      const askedAt = options.now()
      return queue(async () => {
        const begunAt = options.now()
        waitedMs += begunAt - askedAt
        try {
          return await work()
        } finally {
          exclusiveMs += options.now() - begunAt
        }
      })
    }
    const running: RunningIndex = { projectId, lastId: rows.at(-1)!.id, startedAt, firstUnstored: rows[0]!.id }
    try {
      const readMore = isWhole ? (storedThrough: number) => readMoreFor(running, storedThrough) : () => null
      await options.index(projectId, rows, { signal: stopped.signal, exclusively, readMore })
      if (attempts.delete(projectId)) options.onFailure(projectId, null)
      return true
    } catch (error) {
      if (error instanceof StoreOpeningError) {
        const failure = { row: running.firstUnstored, retryAt: Infinity }
        failures.set(projectId, failure)
        void error.settled.then(() => (failure.retryAt = 0))
        return true
      }
      const count = (attempts.get(projectId) ?? 0) + 1
      attempts.set(projectId, count)
      const delayMs = Math.min(RETRY_MS * 2 ** (count - 1), MAX_RETRY_MS)
      failures.set(projectId, { row: running.firstUnstored, retryAt: performance.now() + delayMs })
      // An error after a stop is caused by the stop.
      if (!stopped.signal.aborted) options.onFailure(projectId, error)
      return false
    } finally {
      const sharedMs = options.now() - startedAt - waitedMs - exclusiveMs
      turns.use(projectId, exclusiveMs + sharedMs / atOnce)
    }
  }

  /**
   * Indexes projects in order, but those with many rows at the end; resolves to false if one failed.
   *
   * @param isWhole As in `indexProject`.
   */
  const indexProjects = async (
    projects: Iterable<readonly [number, readonly InboxRow[]]>,
    isWhole: boolean,
  ): Promise<boolean> => {
    const few: (readonly [number, readonly InboxRow[]])[] = []
    const many: typeof few = []
    for (const project of projects) (countBodyBytes(project[1]) < MANY_BYTES ? few : many).push(project)
    let haveSucceeded = true
    const indexAtOnce = async (waiting: typeof few, maxAtOnce: number): Promise<void> => {
      const atOnce = Math.min(maxAtOnce, waiting.length)
      const indexWaiting = async (): Promise<void> => {
        for (let next = waiting.shift(); next !== undefined; next = waiting.shift())
          if (!(await indexProject(...next, { isWhole, atOnce }))) haveSucceeded = false
      }
      await Promise.all(Array.from({ length: atOnce }, indexWaiting))
    }
    await indexAtOnce(few, projectsAtOnce)
    await indexAtOnce(many, 1)
    return haveSucceeded
  }

  /**
   * Goes back to the first unstored row of each project whose retry is due, and reads few rows again; `index` skips the rows
   * that are stored.
   */
  const rewindToDueRetries = (): void => {
    const now = performance.now()
    for (const [projectId, failure] of failures) {
      if (failure.retryAt > now) continue
      failures.delete(projectId)
      // Also the rows that were read ahead while it failed.
      lookAhead.reset()
      lastRead = Math.min(lastRead, failure.row - 1)
      batchBytes = MIN_BATCH_BYTES
    }
  }

  const position = (): number => Math.min(lastRead, ...[...failures.values()].map((failure) => failure.row - 1))

  const isFull = (rows: readonly InboxRow[], maxBytes: number): boolean =>
    rows.length >= maxBytes / BYTES_PER_ROW || countBodyBytes(rows) >= maxBytes

  /** The last row before one that cannot be read. Earlier rows may be read again meanwhile, for a retry. */
  let unreadableAfter: number | null = null
  /** The next rows; null if the first one cannot be read. Rows must be stored in order, so the loop then waits for a repair. */
  const readRows = (maxBytes: number): InboxRow[] | null => {
    try {
      const rows = options.inbox.readAfter(lastRead, maxBytes / BYTES_PER_ROW, maxBytes)
      if (unreadableAfter !== null && (lastRead >= unreadableAfter || (rows.at(-1)?.id ?? 0) > unreadableAfter)) {
        options.onReadFailure(null)
        unreadableAfter = null
      }
      return rows
    } catch (error) {
      if (unreadableAfter === null) options.onReadFailure(error)
      unreadableAfter = Math.max(unreadableAfter ?? 0, lastRead)
      return null
    }
  }

  /** Rows of other projects that wait behind those of a busy one; none if they cannot be read, which the reading in order reports. */
  const readOthers = (busyProjectId: number): readonly InboxRow[] => {
    try {
      return lookAhead.readOthers(busyProjectId, lastRead, MIN_BATCH_BYTES / BYTES_PER_ROW, MIN_BATCH_BYTES)
    } catch {
      return []
    }
  }
  const hasOthers = (busyProjectId: number): boolean => {
    try {
      return lookAhead.hasOthers(busyProjectId, lastRead)
    } catch {
      return false
    }
  }

  /** Indexes rows of the projects that wait for a busy one, until they have used as much time as it has, or none waits. */
  const indexOthers = async (): Promise<void> => {
    for (let busy = turns.busyProject(); busy !== null && !stopped.signal.aborted; busy = turns.busyProject()) {
      const rows = readOthers(busy)
      if (rows.length === 0) return turns.clear()
      const projects = groupByProject(rows)
      await indexProjects(projects, false)
      for (const [projectId, projectRows] of projects) lookAhead.onRead(projectId, projectRows.at(-1)!.id)
    }
  }

  /** Lets a project continue with the next rows, if nothing else has to be done between. */
  const readMoreFor = (running: RunningIndex, storedThrough: number): readonly InboxRow[] | null => {
    const { projectId, lastId } = running
    lastRead = Math.max(lastRead, lastId)
    // The store may be ahead of what was read, after another project failed.
    running.firstUnstored = Math.max(running.firstUnstored, Math.min(storedThrough, lastRead) + 1)
    const isBusy = stopped.signal.aborted || failures.size > 0 || attempts.has(projectId)
    if (isBusy || batchBytes < MIN_CONTINUED_BYTES) return null
    if (options.now() - running.startedAt > MAX_TURN_MS) {
      if (hasOthers(projectId)) return null
      running.startedAt = options.now()
    }
    const rows = readRows(MORE_BYTES)
    if (rows === null || !isFull(rows, MORE_BYTES) || rows.some((row) => row.projectId !== projectId)) return null
    lastRead = rows.at(-1)!.id
    options.onProgress(running.firstUnstored - 1)
    return rows
  }

  const run = async (): Promise<void> => {
    let isPolling = false
    let gatherMs = GATHER_MS
    while (!stopped.signal.aborted) {
      if (failures.size > 0) rewindToDueRetries()
      isWoken = false
      const rows = readRows(batchBytes)
      if (rows === null) {
        await sleep(READ_RETRY_MS, 'time')
        continue
      }
      if (rows.length > 0) {
        const wasFull = isFull(rows, batchBytes)
        const projects = groupByProject(lookAhead.withoutRead(rows))
        const isWhole = wasFull && projects.size === 1
        const haveSucceeded = await indexProjects(wasFull ? smallestFirst(projects) : projects, isWhole)
        lastRead = Math.max(lastRead, rows.at(-1)!.id)
        options.onProgress(position())
        if (position() >= suspectedThrough) projectsAtOnce = PROJECTS_AT_ONCE
        await indexOthers()
        isPolling = true
        batchBytes = wasFull && haveSucceeded ? Math.min(batchBytes * 2, MAX_BATCH_BYTES) : MIN_BATCH_BYTES
        if (wasFull || stopped.signal.aborted) continue
        await sleep(gatherMs, 'time')
        gatherMs = Math.min(gatherMs * 2, MAX_GATHER_MS)
        continue
      }
      gatherMs = GATHER_MS
      if (failures.size === 0) projectsAtOnce = PROJECTS_AT_ONCE
      if (isWoken || stopped.signal.aborted) continue
      options.onIdle()
      await sleep(failures.size > 0 || isPolling ? POLL_MS : MAX_SLEEP_MS, 'woken')
      isPolling = isWoken
    }
  }

  const done = run()
  return {
    wake() {
      isWoken = true
      if (isWakeable) endSleep()
    },
    stop() {
      stopped.abort()
      endSleep()
      return done
    },
  }
}

const groupByProject = (rows: readonly InboxRow[]): Map<number, InboxRow[]> => {
  const projects = new Map<number, InboxRow[]>()
  for (const row of rows) {
    const projectRows = projects.get(row.projectId)
    if (projectRows === undefined) projects.set(row.projectId, [row])
    else projectRows.push(row)
  }
  return projects
}

/** Small projects do not wait for large ones of their batch. */
const smallestFirst = (projects: ReadonlyMap<number, readonly InboxRow[]>): [number, readonly InboxRow[]][] =>
  [...projects].sort(([, a], [, b]) => countBodyBytes(a) - countBodyBytes(b))

/** Bytes of the requests as they were sent. */
export const countBodyBytes = (rows: readonly InboxRow[]): number =>
  rows.reduce((bytes, { body }) => bytes + body.length, 0)
