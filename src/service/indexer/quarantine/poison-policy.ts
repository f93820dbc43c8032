/**
 * When inbox rows are held to be what kills the indexer process. A process may be killed from outside at any moment, and a
 * good row must never be set aside for it: only deaths at the same place count, one after the other, and between tries the
 * process does nothing for a while, so that who kills it for other reasons shows by killing it then.
 */

/** Rows of one project that are being worked on, or were when a process died. */
export interface Suspicion {
  readonly projectId: number
  /** How far the store was when the work on them began: further means that they got on. */
  readonly place: string
  /** The last of them. */
  readonly lastRow: number
  /** Rows up to this one are worked on one at a time; 0 for none. */
  readonly aloneThrough: number
  /** Times in a row that the process ended by itself there: a native crash, no memory for its heap. */
  readonly crashes: number
  /** Times in a row that it was killed there: by the system for want of memory, or by somebody. */
  readonly kills: number
}

/** What is kept for the process that comes after this one. */
export interface WorkRecord {
  /** The project whose rows are being worked on now; null for none. */
  readonly working: number | null
  readonly suspicions: readonly Suspicion[]
}

/** How a process ended: by itself, by a signal that may have come from anyone, or because it was told to. */
export type ProcessEnd = 'crashed' | 'killed' | 'told'

/** Rows that wait, as they would be worked on together. */
export interface Work {
  readonly projectId: number
  readonly place: string
  readonly firstRow: number
  readonly lastRow: number
}

/** What is to be done with the rows. */
export interface Plan {
  /**
   * `together`: all. `alone`: the first. `aside`: the first is set aside. `leave`: nothing, as not even that was survived.
   */
  readonly how: 'together' | 'alone' | 'aside' | 'leave'
  /** Milliseconds in which nothing is to be done before. */
  readonly restMs: number
  /** What is to be kept while it is done. */
  readonly suspicion: Suspicion
}

/** Deaths at one place after which its rows are worked on one at a time, and then the one row is set aside. */
const MOST_CRASHES = 3
const MOST_KILLS = 8

/** The rest before the third try, in milliseconds; doubles up to the most. A good part of a row takes less than a second. */
const REST_MS = 1000
const MOST_REST_MS = 8000

/** What is suspected after a process has ended. */
export const suspicionsAfter = ({ working, suspicions }: WorkRecord, end: ProcessEnd): readonly Suspicion[] => {
  if (end === 'told') return suspicions
  // It died while nothing was worked on: then rows may not have been what killed it before, either.
  if (working === null) return []
  return suspicions.map((one) => {
    if (one.projectId !== working) return one
    return end === 'crashed' ? { ...one, crashes: one.crashes + 1 } : { ...one, kills: one.kills + 1 }
  })
}

/** How rows are to be worked on, as far as is known of them: `known` is what is suspected in their project. */
export const planWork = (known: Suspicion | undefined, work: Work): Plan => {
  const { projectId, place, firstRow, lastRow } = work
  const isSame = known?.place === place
  const crashes = isSame ? known.crashes : 0
  const kills = isSame ? known.kills : 0
  const narrowed = known?.aloneThrough ?? 0
  const suspicion = { projectId, place, lastRow, aloneThrough: narrowed, crashes, kills }
  const most = Math.max(crashes / MOST_CRASHES, kills / MOST_KILLS)
  // A row that nothing comes after is alone anyway.
  if (firstRow === lastRow || firstRow <= narrowed) {
    const how = most >= 2 ? 'leave' : most >= 1 ? 'aside' : 'alone'
    const aloneThrough = Math.max(narrowed, firstRow)
    return {
      how,
      restMs: restBefore(crashes + kills + 1),
      suspicion: { ...suspicion, lastRow: firstRow, aloneThrough },
    }
  }
  if (most < 1) return { how: 'together', restMs: restBefore(crashes + kills), suspicion }
  // Which of them it was is not known: each gets its own tries.
  const alone = { ...suspicion, lastRow: firstRow, aloneThrough: known?.lastRow ?? lastRow, crashes: 0, kills: 0 }
  return { how: 'alone', restMs: restBefore(1), suspicion: alone }
}

const restBefore = (deaths: number): number => (deaths < 2 ? 0 : Math.min(REST_MS * 2 ** (deaths - 2), MOST_REST_MS))
