/**
 * Decides which inbox rows are poison messages: rows that end the indexer process each time it processes them.
 *
 * A process can also be killed from outside, and a good row must never be quarantined for that. Therefore only consecutive
 * deaths at the same store position count. Before each further attempt the process idles: an outside cause then kills an idle
 * process, which clears the row.
 */

/**
 * An attempt to process waiting rows of one project. If the process dies, the next process tries the same rows again, and the
 * deaths are counted here. After a success, the record is kept only while later rows must be processed one at a time.
 */
export interface ProcessingAttempt {
  readonly projectId: number
  /** The store's position when the last rows were added, as a string; another position means that the rows made progress. */
  readonly storePosition: string
  /** The id of the last row of the attempt. */
  readonly lastRowId: number
  /** Rows up to this id are processed one at a time, because one of them may be a poison message; 0 for none. */
  readonly processSinglyThroughRowId: number
  /** Consecutive processes that crashed at this position (`ExitKind`). */
  readonly crashCount: number
  /** Consecutive processes that were killed at this position (`ExitKind`). */
  readonly killCount: number
}

/** What one indexer process records for the next one. */
export interface WorkRecord {
  /** The project whose rows are being processed; null while the process idles. */
  readonly currentProjectId: number | null
  /** The attempts that still count, at most one for each project; the newest is last. */
  readonly attempts: readonly ProcessingAttempt[]
}

/**
 * How an indexer process ended.
 *
 * - `crashed`: the process ended itself, by a fault in native code or because its heap was full. The row is the likely cause.
 * - `killed`: a signal that may come from outside ended it (`SIGKILL`, `SIGTERM`, …). The system also kills a
 *   process this way when the machine runs out of memory, so the row may or may not be the cause.
 * - `requested`: the service stopped it on purpose. This says nothing about the row.
 */
export type ExitKind = 'crashed' | 'killed' | 'requested'

/** Waiting rows of one project that would be processed together. */
export interface WaitingRows {
  readonly projectId: number
  /** The position of the project's store, as a string. */
  readonly storePosition: string
  readonly firstRowId: number
  readonly lastRowId: number
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

/**
 * Deaths at one position after which rows are processed one at a time, and after which a single row is quarantined. More
 * kills than crashes are needed, because kills may have an outside cause.
 */
const MAX_CRASHES = 3
const MAX_KILLS = 8

/** Delay before the third attempt; doubles up to the maximum. Indexing the good part of a row takes less than a second. */
const DELAY_MS = 1000
const MAX_DELAY_MS = 8000

/** The attempts that still count after a process has ended, with its death added to the attempt it worked on. */
export const attemptsAfterExit = (
  { currentProjectId, attempts }: WorkRecord,
  exit: ExitKind,
): readonly ProcessingAttempt[] => {
  if (exit === 'requested') return attempts
  // An idle process died, so the cause of the earlier deaths may not be the rows either.
  if (currentProjectId === null) return []
  return attempts.map((attempt) => {
    if (attempt.projectId !== currentProjectId) return attempt
    return exit === 'crashed'
      ? { ...attempt, crashCount: attempt.crashCount + 1 }
      : { ...attempt, killCount: attempt.killCount + 1 }
  })
}

/**
 * Plans how to process waiting rows.
 *
 * @param previousAttempt the recorded attempt of the rows' project, if there is one.
 */
export const planProcessing = (previousAttempt: ProcessingAttempt | undefined, rows: WaitingRows): ProcessingPlan => {
  const { projectId, storePosition, firstRowId, lastRowId } = rows
  const isSamePosition = previousAttempt?.storePosition === storePosition
  const crashCount = isSamePosition ? previousAttempt.crashCount : 0
  const killCount = isSamePosition ? previousAttempt.killCount : 0
  const processSinglyThroughRowId = previousAttempt?.processSinglyThroughRowId ?? 0
  const attempt = { projectId, storePosition, lastRowId, processSinglyThroughRowId, crashCount, killCount }
  /** Deaths as a share of the limit: 1 quarantines, 2 stops. */
  const severity = Math.max(crashCount / MAX_CRASHES, killCount / MAX_KILLS)
  if (firstRowId === lastRowId || firstRowId <= processSinglyThroughRowId) {
    const action = severity >= 2 ? 'stop' : severity >= 1 ? 'quarantine' : 'single'
    return {
      action,
      delayMs: delayAfter(crashCount + killCount + 1),
      attempt: {
        ...attempt,
        lastRowId: firstRowId,
        processSinglyThroughRowId: Math.max(processSinglyThroughRowId, firstRowId),
      },
    }
  }
  if (severity < 1) return { action: 'batch', delayMs: delayAfter(crashCount + killCount), attempt }
  // Any row of the batch may be the poison message, so each row gets its own attempts.
  const singleAttempt = {
    ...attempt,
    lastRowId: firstRowId,
    processSinglyThroughRowId: previousAttempt?.lastRowId ?? lastRowId,
    crashCount: 0,
    killCount: 0,
  }
  return { action: 'single', delayMs: delayAfter(1), attempt: singleAttempt }
}

const delayAfter = (deathCount: number): number =>
  deathCount < 2 ? 0 : Math.min(DELAY_MS * 2 ** (deathCount - 2), MAX_DELAY_MS)
