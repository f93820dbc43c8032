import type { Inbox, InboxRow } from '../store/inbox/inbox.ts'

/** The indexer's work: brings inbox rows to `index`, in order, for ever. */
export interface IndexingLoop {
  /** Says that there may be new rows. */
  wake(): void
  /** Resolves when the running batch has ended. */
  stop(): Promise<void>
}

/** What the loop works with. */
export interface LoopOptions {
  readonly inbox: Pick<Inbox, 'readAfter'>
  /** Brings rows of one project into its store. Called again with the same rows after a failure. */
  readonly index: (projectId: number, rows: readonly InboxRow[]) => Promise<void>
  /** Rows up to this id need not be read. */
  readonly from: number
  /** Every row up to this id is in its project's store. */
  readonly onProgress: (position: number) => void
  /** All rows have been seen. */
  readonly onIdle: () => void
  /** Why a project's rows wait, or null when they do no more. */
  readonly onFailure: (projectId: number, error: unknown) => void
  /** Why the inbox cannot be read beyond a row, or null when it can again. */
  readonly onReadFailure: (error: unknown) => void
}

/** One batch: enough rows to make a transaction worth while, few enough bytes (compressed bodies grow tenfold) for memory. */
const BATCH_ROWS = 2000
const BATCH_BYTES = 512 * 1024

/** After a batch that was not full, rows are left to gather for this long: a transaction costs the same for 1 row and for 100. */
const GATHER_MS = 20

/** After work, one more look without being woken: a message between processes may be lost when either is killed. */
const POLL_MS = 250

/** Wait before a failed project is tried again; doubles up to the most. */
const RETRY_MS = 250
const MOST_RETRY_MS = 30_000

/** Pause before an inbox that could not be read is tried again, in milliseconds. */
const READ_RETRY_MS = 1000

/** Timers hold 31 bits. */
const LONGEST_REST_MS = 2 ** 30

interface Failure {
  /** The project's first row that is not stored. */
  readonly row: number
  /** By the clock that never jumps. */
  readonly retryAt: number
}

/**
 * Starts the loop. A project whose store fails waits and is tried again while the others go on; the position stays before
 * its first waiting row.
 */
export const startLoop = (options: LoopOptions): IndexingLoop => {
  const failures = new Map<number, Failure>()
  const attempts = new Map<number, number>()
  let scanned = options.from
  let isWoken = true
  const stopped = new AbortController()
  let endRest: () => void = () => undefined
  let isWakeable = false

  /** Until `ms` have passed, or until stopped, or, where that is asked for, until woken. */
  const rest = (ms: number, until: 'time' | 'woken'): Promise<void> =>
    new Promise((resolve) => {
      isWakeable = until === 'woken'
      const timer = setTimeout(resolve, ms)
      endRest = () => {
        clearTimeout(timer)
        resolve()
      }
    })

  const indexProject = async (projectId: number, rows: readonly InboxRow[]): Promise<void> => {
    if (failures.has(projectId)) return
    try {
      await options.index(projectId, rows)
      if (attempts.delete(projectId)) options.onFailure(projectId, null)
    } catch (error) {
      const count = (attempts.get(projectId) ?? 0) + 1
      attempts.set(projectId, count)
      const wait = Math.min(RETRY_MS * 2 ** (count - 1), MOST_RETRY_MS)
      failures.set(projectId, { row: rows[0]!.id, retryAt: performance.now() + wait })
      // What a stop broke off does not fail.
      if (!stopped.signal.aborted) options.onFailure(projectId, error)
    }
  }

  /** Goes back to the first row of every failed project whose time has come; rows that are stored are passed over again. */
  const returnToFailed = (): void => {
    const now = performance.now()
    for (const [projectId, failure] of failures) {
      if (failure.retryAt > now) continue
      failures.delete(projectId)
      scanned = Math.min(scanned, failure.row - 1)
    }
  }

  const position = (): number => Math.min(scanned, ...[...failures.values()].map((failure) => failure.row - 1))

  let isReadFailing = false
  /** Null where the next row cannot be read: none after it may be stored before, so all wait until the inbox was seen to. */
  const read = (): InboxRow[] | null => {
    try {
      const rows = options.inbox.readAfter(scanned, BATCH_ROWS, BATCH_BYTES)
      if (isReadFailing) options.onReadFailure(null)
      isReadFailing = false
      return rows
    } catch (error) {
      if (!isReadFailing) options.onReadFailure(error)
      isReadFailing = true
      return null
    }
  }

  const run = async (): Promise<void> => {
    let isPolling = false
    while (!stopped.signal.aborted) {
      if (attempts.size > 0) returnToFailed()
      isWoken = false
      const rows = read()
      if (rows === null) {
        await rest(READ_RETRY_MS, 'time')
        continue
      }
      if (rows.length > 0) {
        for (const [projectId, own] of byProject(rows)) await indexProject(projectId, own)
        scanned = rows.at(-1)!.id
        options.onProgress(position())
        isPolling = true
        if (!isFull(rows) && !stopped.signal.aborted) await rest(GATHER_MS, 'time')
        continue
      }
      if (isWoken || stopped.signal.aborted) continue
      options.onIdle()
      await rest(failures.size > 0 || isPolling ? POLL_MS : LONGEST_REST_MS, 'woken')
      isPolling = isWoken
    }
  }

  const done = run()
  return {
    wake() {
      isWoken = true
      if (isWakeable) endRest()
    },
    stop() {
      stopped.abort()
      endRest()
      return done
    },
  }
}

const isFull = (rows: readonly InboxRow[]): boolean =>
  rows.length >= BATCH_ROWS || rows.reduce((bytes, row) => bytes + row.body.length, 0) >= BATCH_BYTES

const byProject = (rows: readonly InboxRow[]): Map<number, InboxRow[]> => {
  const projects = new Map<number, InboxRow[]>()
  for (const row of rows) {
    const own = projects.get(row.projectId)
    if (own === undefined) projects.set(row.projectId, [row])
    else own.push(row)
  }
  return projects
}
