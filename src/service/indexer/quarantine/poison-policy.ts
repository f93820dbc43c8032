/**
 * Decides when inbox rows count as poison messages: rows that kill the indexer process every time.
 *
 * A process can also be killed from outside, and a good row must never be quarantined for that. Therefore only consecutive
 * deaths at the same position count. Before each further attempt the process idles: an outside cause then kills an idle
 * process, which clears the row.
 */

/**
 * The attempts to process rows of one project. The keys are stored in the work record.
 */
export interface ProcessingAttempt {
  readonly projectId: number
  /** The store's position when the attempt began, as a string; another value means that the rows made progress. */
  readonly place: string
  /** The id of the last row of the attempt. */
  readonly lastRow: number
  /** Rows up to this id are processed one at a time; 0 for none. */
  readonly aloneThrough: number
  /** Consecutive times that the process crashed at this place (native fault, heap out of memory). */
  readonly crashes: number
  /** Consecutive times that the process was killed at this place, by the system's out-of-memory killer or another sender. */
  readonly kills: number
}

/** What one indexer process leaves for the next. Stored as JSON; do not rename the keys. */
export interface WorkRecord {
  /** The project whose rows are being processed; null for none. */
  readonly working: number | null
  readonly suspicions: readonly ProcessingAttempt[]
}

/**
 * How a process ended: `crashed` by its own fault, `killed` by a signal that may come from outside, or at the `requested`
 * time.
 */
export type ExitKind = 'crashed' | 'killed' | 'requested'

/** Waiting rows of one project that would be processed together. */
export interface WaitingRows {
  readonly projectId: number
  readonly place: string
  readonly firstRow: number
  readonly lastRow: number
}

/** How to process waiting rows. */
export interface ProcessingPlan {
  /**
   * `batch`: index all rows. `single`: index the first row only. `quarantine`: quarantine the first row. `stop`: leave the
   * project, because the process died even while it quarantined the row.
   */
  readonly action: 'batch' | 'single' | 'quarantine' | 'stop'
  /** Milliseconds to idle before the action. */
  readonly delayMs: number
  /** The attempt to record during the action. */
  readonly attempt: ProcessingAttempt
}

/** Deaths at one place after which rows are processed one at a time, and after which a single row is quarantined. */
const MAX_CRASHES = 3
const MAX_KILLS = 8

/** Delay before the third attempt; doubles up to the maximum. The good part of a row takes less than a second. */
const DELAY_MS = 1000
const MAX_DELAY_MS = 8000

/** The attempts that still count after a process has ended. */
export const attemptsAfterExit = (
  { working, suspicions: attempts }: WorkRecord,
  exit: ExitKind,
): readonly ProcessingAttempt[] => {
  if (exit === 'requested') return attempts
  // An idle process died, so the cause of the earlier deaths may not be the rows either.
  if (working === null) return []
  return attempts.map((attempt) => {
    if (attempt.projectId !== working) return attempt
    return exit === 'crashed' ? { ...attempt, crashes: attempt.crashes + 1 } : { ...attempt, kills: attempt.kills + 1 }
  })
}

/**
 * Plans how to process waiting rows.
 *
 * @param previous the last attempt in the rows' project, if it failed.
 */
export const planProcessing = (previous: ProcessingAttempt | undefined, rows: WaitingRows): ProcessingPlan => {
  const { projectId, place, firstRow, lastRow } = rows
  const isSamePlace = previous?.place === place
  const crashes = isSamePlace ? previous.crashes : 0
  const kills = isSamePlace ? previous.kills : 0
  const aloneThrough = previous?.aloneThrough ?? 0
  const attempt = { projectId, place, lastRow, aloneThrough, crashes, kills }
  /** Deaths as a share of the limit: 1 quarantines, 2 stops. */
  const severity = Math.max(crashes / MAX_CRASHES, kills / MAX_KILLS)
  if (firstRow === lastRow || firstRow <= aloneThrough) {
    const action = severity >= 2 ? 'stop' : severity >= 1 ? 'quarantine' : 'single'
    return {
      action,
      delayMs: delayAfter(crashes + kills + 1),
      attempt: { ...attempt, lastRow: firstRow, aloneThrough: Math.max(aloneThrough, firstRow) },
    }
  }
  if (severity < 1) return { action: 'batch', delayMs: delayAfter(crashes + kills), attempt }
  // Any row of the batch may be the poison message, so each one gets its own attempts.
  const single = { ...attempt, lastRow: firstRow, aloneThrough: previous?.lastRow ?? lastRow, crashes: 0, kills: 0 }
  return { action: 'single', delayMs: delayAfter(1), attempt: single }
}

const delayAfter = (deaths: number): number => (deaths < 2 ? 0 : Math.min(DELAY_MS * 2 ** (deaths - 2), MAX_DELAY_MS))
