/** A minute in which a project received far more events than usual. */
export interface Spike {
  /** Events of the current minute so far. */
  readonly events: number
  /** Mean events per minute in the hour before, or in the part of it that was observed. */
  readonly mean: number
}

/**
 * Counts events of a project that arrived at `now` (ms since 1970). Returns the spike they cause, at most once an hour,
 * otherwise null.
 */
export type DetectSpike = (projectId: number, events: number, now: number) => Spike | null

/** Events per minute from which a spike is possible; below, a single visitor can multiply the mean. */
const MIN_SPIKE_EVENTS = 1000

/** A spike has at least this many times the mean. */
const SPIKE_FACTOR = 10

/** Minutes before the first spike of a project; without them, a busy project would spike right after a start. */
const LEARNING_MINUTES = 10

const MINUTE_MS = 60_000
const MINUTES = 60
const REPORT_INTERVAL_MS = MINUTES * MINUTE_MS

interface ProjectTraffic {
  /** The first observed minute, since 1970. */
  readonly firstMinute: number
  /** The current minute, since 1970. */
  minute: number
  currentCount: number
  /** Event counts of the 60 minutes before, each at its minute modulo 60. */
  readonly previousCounts: Float64Array
  /** Sum of `previousCounts`. */
  previousTotal: number
  reportedMs: number
}

/** Creates a detector without history: it observes each project for ten minutes before it reports a spike. */
export const createSpikeDetector = (): DetectSpike => {
  const projects = new Map<number, ProjectTraffic>()
  return (projectId, events, now) => {
    const minute = Math.floor(now / MINUTE_MS)
    let traffic = projects.get(projectId)
    // A clock correction of seconds may lead back to the previous minute; a larger jump starts a new history.
    if (traffic === undefined || minute < traffic.minute - 1) {
      traffic = {
        firstMinute: minute,
        minute,
        currentCount: 0,
        previousCounts: new Float64Array(MINUTES),
        previousTotal: 0,
        reportedMs: traffic?.reportedMs ?? Number.NEGATIVE_INFINITY,
      }
      projects.set(projectId, traffic)
    }
    advanceTo(traffic, minute)
    traffic.currentCount += events

    const age = traffic.minute - traffic.firstMinute
    const mean = traffic.previousTotal / Math.min(Math.max(age, 1), MINUTES)
    if (age < LEARNING_MINUTES || traffic.currentCount < MIN_SPIKE_EVENTS || traffic.currentCount < mean * SPIKE_FACTOR)
      return null
    if (Math.abs(now - traffic.reportedMs) < REPORT_INTERVAL_MS) return null
    traffic.reportedMs = now
    return { events: traffic.currentCount, mean }
  }
}

/** Moves the current minute forward; skipped minutes had no events. */
const advanceTo = (traffic: ProjectTraffic, minute: number): void => {
  const steps = Math.min(minute - traffic.minute, MINUTES + 1)
  for (let step = 0; step < steps; step++) {
    const index = (traffic.minute + step) % MINUTES
    traffic.previousTotal += traffic.currentCount - traffic.previousCounts[index]!
    traffic.previousCounts[index] = traffic.currentCount
    traffic.currentCount = 0
  }
  if (steps > 0) traffic.minute = minute
}
