import { setTimeout as delay } from 'node:timers/promises'
import type { InboxRow } from '../../store/inbox/inbox.ts'
import type { RowPosition } from '../../store/row-position.ts'
import { coversRow } from '../../store/row-position.ts'
import { planProcessing, attemptsAfterExit } from './poison-policy.ts'
import type { ExitKind, ProcessingAttempt } from './poison-policy.ts'
import type { WorkRecordFile } from './work-record.ts'

/** Processes inbox rows and quarantines a row that kills the process every time. */
export interface RowProcessor {
  /** Processes, in order, the rows of one project that the store does not cover. */
  process(projectId: number, rows: readonly InboxRow[], actions: RowActions): Promise<void>
  /** The process is about to end on request, so its end does not count against its rows. A delayed `process` rejects. */
  stop(): void
}

/** What can be done with rows. Each action moves the position beyond its rows, or rejects. */
export interface RowActions {
  readonly position: () => RowPosition
  readonly index: (rows: readonly InboxRow[]) => Promise<void>
  readonly quarantine: (row: InboxRow, reason: string) => Promise<void>
}

/**
 * Creates a processor that records in a file which rows it processes, and reads there where the previous process died.
 *
 * @param previousExit how the previous process ended.
 */
export const createRowProcessor = (file: WorkRecordFile, previousExit: ExitKind): RowProcessor => {
  const attempts = new Map(
    attemptsAfterExit(file.previous, previousExit).map((attempt) => [attempt.projectId, attempt]),
  )
  const stopped = new AbortController()
  const record = (working: number | null): void => {
    if (!stopped.signal.aborted) file.write({ working, suspicions: [...attempts.values()] })
  }
  record(null)

  const setAttempt = (attempt: ProcessingAttempt): void => {
    // The newest attempt goes last: a full file keeps the last ones.
    attempts.delete(attempt.projectId)
    attempts.set(attempt.projectId, attempt)
  }

  return {
    async process(projectId, rows, { position, index, quarantine }) {
      let remaining = rows.filter(({ id }) => !coversRow(position(), id))
      for (let [first] = remaining; first !== undefined; [first] = remaining) {
        const lastRow = remaining.at(-1)!.id
        const waiting = { projectId, place: formatPlace(position()), firstRow: first.id, lastRow }
        const { action, delayMs, attempt } = planProcessing(attempts.get(projectId), waiting)
        const deaths = attempt.crashes + attempt.kills
        if (action === 'stop') throw new Error(stopReason(first.id, deaths))
        if (delayMs > 0) await delay(delayMs, undefined, { signal: stopped.signal })
        setAttempt(attempt)
        record(projectId)
        try {
          if (action === 'batch') await index(remaining)
          else if (action === 'single') await index([first])
          else await quarantine(first, quarantineReason(deaths))
        } finally {
          record(null)
        }
        remaining = action === 'batch' ? [] : remaining.slice(1)
        if (attempt.aloneThrough <= attempt.lastRow) attempts.delete(projectId)
      }
    },
    stop() {
      if (stopped.signal.aborted) return
      // A restart by the operator tries all rows again.
      attempts.clear()
      record(null)
      stopped.abort()
      file.close()
    },
  }
}

/** A string that is equal for equal positions. */
const formatPlace = ({ inboxRow, events }: RowPosition): string => `${inboxRow}/${events}`

const quarantineReason = (deaths: number): string =>
  `the indexer process died ${deaths} times in a row while it processed this request alone, from lack of memory or a fault in native code`

const stopReason = (row: number, deaths: number): string =>
  `the indexer process died ${deaths} times in a row at inbox row ${row}, even while it quarantined that row. ` +
  'Start the service again with more memory; until then no later event of the project is stored'
