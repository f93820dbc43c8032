/** A minute in which a project received far more than it was used to. */
export interface Spike {
  /** Events of the minute so far. */
  readonly events: number
  /** Events per minute over the hour before it, or over as much of it as was watched. */
  readonly mean: number
}

/** Counts events of a project that arrived at `now` (ms since 1970). Answers the spike that this makes, once an hour, or null. */
export type SpikeWatch = (projectId: number, events: number, now: number) => Spike | null

/** A minute is a spike from this many events on: below, a single visitor can multiply what is usual. */
const FEWEST_EVENTS = 1000

/** How many times the mean a spike has. */
const FACTOR = 10

/** After so many minutes a mean says something; before, a busy project that was just started would look like a spike. */
const LEARNING_MINUTES = 10

const MINUTE_MS = 60_000
const MINUTES = 60
const TELL_AGAIN_MS = MINUTES * MINUTE_MS

/** What is known of one project. */
interface Watched {
  /** The first minute that was watched, since 1970. */
  readonly since: number
  /** The running minute, and its events. */
  minute: number
  current: number
  /** Events of the 60 minutes before, each at its minute modulo 60, and their sum. */
  readonly before: Float64Array
  total: number
  toldAt: number
}

/** Makes a watch that knows nothing yet: of each project it learns ten minutes before it tells anything. */
export const createSpikeWatch = (): SpikeWatch => {
  const projects = new Map<number, Watched>()
  return (projectId, events, now) => {
    const minute = Math.floor(now / MINUTE_MS)
    let watched = projects.get(projectId)
    // A clock that is set right by some seconds may fall back into the minute before; one that jumps begins anew.
    if (watched === undefined || minute < watched.minute - 1) {
      const toldAt = watched?.toldAt ?? Number.NEGATIVE_INFINITY
      watched = { since: minute, minute, current: 0, before: new Float64Array(MINUTES), total: 0, toldAt }
      projects.set(projectId, watched)
    }
    advance(watched, minute)
    watched.current += events

    const age = watched.minute - watched.since
    const mean = watched.total / Math.min(Math.max(age, 1), MINUTES)
    if (age < LEARNING_MINUTES || watched.current < FEWEST_EVENTS || watched.current < mean * FACTOR) return null
    if (Math.abs(now - watched.toldAt) < TELL_AGAIN_MS) return null
    watched.toldAt = now
    return { events: watched.current, mean }
  }
}

/** Moves the running minute on; the minutes between were empty. */
const advance = (watched: Watched, minute: number): void => {
  const steps = Math.min(minute - watched.minute, MINUTES + 1)
  for (let step = 0; step < steps; step++) {
    const place = (watched.minute + step) % MINUTES
    watched.total += watched.current - watched.before[place]!
    watched.before[place] = watched.current
    watched.current = 0
  }
  if (steps > 0) watched.minute = minute
}
