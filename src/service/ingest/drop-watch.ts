/** Counts events that were dropped because they are ill-formed. Answers the sentence to tell of them, once a minute for each project, or null. */
export type DropWatch = (projectId: number, dropped: DroppedEvents, now: number) => string | null

/** Ill-formed events of one request. */
export interface DroppedEvents {
  readonly count: number
  /** What is wrong with the first of them. */
  readonly reason: string
}

const TELL_AGAIN_MS = 60_000

/** Makes a watch that has counted nothing yet. `now` is in milliseconds since 1970, and may jump. */
export const createDropWatch = (): DropWatch => {
  const projects = new Map<number, { toldAt: number; untold: number }>()
  return (projectId, { count, reason }, now) => {
    const known = projects.get(projectId) ?? { toldAt: Number.NEGATIVE_INFINITY, untold: 0 }
    projects.set(projectId, known)
    known.untold += count
    if (Math.abs(now - known.toldAt) < TELL_AGAIN_MS) return null
    const { untold } = known
    known.toldAt = now
    known.untold = 0
    const events = untold === 1 ? '1 event' : `${untold} events`
    return `Project ${projectId}: ${events} in batches dropped since this was last said; the latest: ${reason}`
  }
}
