/** Milliseconds that a project may use more than all others, before these get their turn. A batch may be longer, and the others then get as much. */
const MAX_LEAD_MS = 250

/** Decides when a project has used so much of the indexer's time that others come first: none gets more than half while others wait. */
export interface Turns {
  /** Notes that a project was indexed. */
  use(projectId: number, ms: number): void
  /** The project that has used too much more than all others together; null if there is none. */
  busyProject(): number | null
  /** Notes that no other project waits. */
  clear(): void
}

/** Only the lead of one project over all others is kept: two projects cannot both have more than half. */
export const createTurns = (): Turns => {
  let leader = 0
  let leadMs = 0
  return {
    use(projectId, ms) {
      if (projectId === leader) leadMs += ms
      else if (leadMs >= ms) leadMs -= ms
      else {
        leader = projectId
        leadMs = ms - leadMs
      }
    },
    busyProject: () => (leadMs > MAX_LEAD_MS ? leader : null),
    clear() {
      leadMs = 0
    },
  }
}
