import { setTimeout as delay } from 'node:timers/promises'
import type { InboxRow } from '../../store/inbox/inbox.ts'
import type { RowPosition } from '../../store/row-position.ts'
import { coversRow } from '../../store/row-position.ts'
import type { ReadMore } from '../row-stream.ts'
import { planProcessing, attemptsAfterExit } from './poison-policy.ts'
import type { ExitKind, ProcessingAttempt, ProcessingPlan } from './poison-policy.ts'
import type { WorkRecordFile } from './work-record.ts'

/** Processes inbox rows and quarantines a poison message: a row that ends the process each time. */
export interface RowProcessor {
  /** Processes, in order, the rows of one project that the store does not cover. */
  process(projectId: number, rows: readonly InboxRow[], actions: RowActions): Promise<void>
  /**
   * Call it before a requested end of the process, so that the end does not count against the rows. A `process` that idles
   * before an action rejects.
   */
  stop(): void
}

/** The actions of the caller. `index` and `quarantine` move the store's position beyond their rows, or reject. */
export interface RowActions {
  readonly position: () => RowPosition
  /** @param readNext adds rows that follow, and records that they are processed. */
  readonly index: (rows: readonly InboxRow[], readNext: ReadMore) => Promise<void>
  /** Reads rows that follow. Not called for rows on which a process has died: these are processed first. */
  readonly readMore: ReadMore
  readonly quarantine: (row: InboxRow, reason: string) => Promise<void>
}

/**
 * Creates a processor. It records in a file which project it processes. The same file says on which rows earlier processes died.
 *
 * @param previousExit how the previous process ended.
 */
export const createRowProcessor = (file: WorkRecordFile, previousExit: ExitKind): RowProcessor => {
  const attempts = new Map(
    attemptsAfterExit(file.previousRecord, previousExit).map((attempt) => [attempt.projectId, attempt]),
  )
  const stopped = new AbortController()
  const recordWork = (currentProjectId: number | null): void => {
    if (!stopped.signal.aborted) file.write({ currentProjectId, attempts: [...attempts.values()] })
  }
  recordWork(null)

  const setAttempt = (attempt: ProcessingAttempt): void => {
    // The newest attempt goes last: a full file keeps the last ones.
    attempts.delete(attempt.projectId)
    attempts.set(attempt.projectId, attempt)
  }

  return {
    async process(projectId, rows, { position, index, quarantine, readMore }) {
      let remaining = rows.filter(({ id }) => !coversRow(position(), id))
      for (let [first] = remaining; first !== undefined; [first] = remaining) {
        const firstRowId = first.id
        const plan = (lastRowId: number): ProcessingPlan => {
          const storePosition = formatPosition(position())
          return planProcessing(attempts.get(projectId), { projectId, storePosition, firstRowId, lastRowId })
        }
        const readAndRecordMore: ReadMore = () => {
          const more = readMore()
          if (more === null) return null
          setAttempt(plan(more.at(-1)!.id).attempt)
          recordWork(projectId)
          return more
        }
        const { action, delayMs, attempt } = plan(remaining.at(-1)!.id)
        const deathCount = attempt.crashCount + attempt.killCount
        if (action === 'stop') throw new Error(formatStopReason(first.id, deathCount))
        if (delayMs > 0) await delay(delayMs, undefined, { signal: stopped.signal })
        setAttempt(attempt)
        recordWork(projectId)
        try {
          if (action === 'batch') await index(remaining, deathCount > 0 ? noMore : readAndRecordMore)
          else if (action === 'single') await index([first], noMore)
          else await quarantine(first, formatQuarantineReason(deathCount))
        } finally {
          recordWork(null)
        }
        remaining = action === 'batch' ? [] : remaining.slice(1)
        if (attempt.processSinglyThroughRowId <= attempt.lastRowId) attempts.delete(projectId)
      }
    },
    stop() {
      if (stopped.signal.aborted) return
      // A restart by the operator tries all rows again.
      attempts.clear()
      recordWork(null)
      stopped.abort()
      file.close()
    },
  }
}

const noMore: ReadMore = () => null

/** The position as a string, to compare and to store it. */
const formatPosition = ({ inboxRow, events }: RowPosition): string => `${inboxRow}/${events}`

const formatQuarantineReason = (deathCount: number): string =>
  `the indexer process died ${deathCount} times in a row while it processed this request alone, ` +
  'from lack of memory or a fault in native code'

const formatStopReason = (rowId: number, deathCount: number): string =>
  `the indexer process died ${deathCount} times in a row at inbox row ${rowId}, even while it quarantined that row. ` +
  'Start the service again with more memory; until then no later event of the project is stored'
