import { addCounts, countDropped, DROP_REASONS, NO_LOSSES } from './event-losses.ts'
import type { EventLosses, LossCounts } from './event-losses.ts'

/** Counts what is not stored of the events of accepted requests: their senders get the response 200, as the protocol says. */
export interface LossReporter {
  /**
   * Adds the losses of a request. Returns a sentence about those since the last report, at most once a minute for each project, otherwise
   * null. `now` is in milliseconds since 1970 and may jump.
   */
  report(projectId: number, losses: EventLosses, now: number): string | null
  /** The losses since the service started. A request that is sent again counts again. */
  totals(): LossCounts
}

const REPORT_INTERVAL_MS = 60_000

/** Creates a loss reporter with all counts at zero. */
export const createLossReporter = (): LossReporter => {
  const projects = new Map<number, { reportedMs: number; unreported: LossCounts }>()
  let totals = NO_LOSSES
  return {
    report(projectId, losses, now) {
      totals = addCounts(totals, losses)
      const project = projects.get(projectId) ?? { reportedMs: Number.NEGATIVE_INFINITY, unreported: NO_LOSSES }
      projects.set(projectId, project)
      const unreported = addCounts(project.unreported, losses)
      const isReported = Math.abs(now - project.reportedMs) >= REPORT_INTERVAL_MS
      project.unreported = isReported ? NO_LOSSES : unreported
      if (!isReported) return null
      project.reportedMs = now
      return `Project ${projectId}, since the last report: ${describeCounts(unreported)}. The latest reason: ${losses.detail}`
    },
    totals: () => totals,
  }
}

/** `3 events not stored (no_distinct_id 2, too_large 1), 1 event name cut`. */
const describeCounts = (counts: LossCounts): string => {
  const { dropped, cut } = counts
  const droppedCount = countDropped(counts)
  const reasons = DROP_REASONS.filter((reason) => dropped[reason] > 0).map((reason) => `${reason} ${dropped[reason]}`)
  return [
    ...(droppedCount > 0 ? [`${countOf(droppedCount, 'event')} not stored (${reasons.join(', ')})`] : []),
    ...(cut.eventNames > 0 ? [`${countOf(cut.eventNames, 'event name')} cut`] : []),
    ...(cut.properties > 0 ? [`${countOf(cut.properties, 'property', 'properties')} left out`] : []),
    ...(cut.groups > 0 ? [`${countOf(cut.groups, 'group')} left out`] : []),
  ].join(', ')
}

const countOf = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`
