/**
 * Counts malformed events that were dropped. Returns a sentence about them at most once a minute for each project, otherwise
 * null. `now` is in milliseconds since 1970 and may jump.
 */
export type ReportDrops = (projectId: number, dropped: DroppedEvents, now: number) => string | null

/** Malformed events of one request. */
export interface DroppedEvents {
  readonly count: number
  /** What is wrong with the first of them. */
  readonly reason: string
}

const REPORT_INTERVAL_MS = 60_000

/** Creates a drop reporter with all counts at zero. */
export const createDropReporter = (): ReportDrops => {
  const projects = new Map<number, { reportedMs: number; unreportedCount: number }>()
  return (projectId, { count, reason }, now) => {
    const project = projects.get(projectId) ?? { reportedMs: Number.NEGATIVE_INFINITY, unreportedCount: 0 }
    projects.set(projectId, project)
    project.unreportedCount += count
    if (Math.abs(now - project.reportedMs) < REPORT_INTERVAL_MS) return null
    const { unreportedCount } = project
    project.reportedMs = now
    project.unreportedCount = 0
    const events = unreportedCount === 1 ? '1 malformed event' : `${unreportedCount} malformed events`
    return `Project ${projectId}: dropped ${events} in batches since the last report. The latest reason: ${reason}`
  }
}
