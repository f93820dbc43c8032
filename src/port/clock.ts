/** Time and its passing, so that tests own both. */
export interface Clock {
  /** Milliseconds since 1970, UTC. May go back when the user changes the clock. */
  now(): number
  /** Calls `task` once after `delayMs`; the answer cancels it. Never keeps a process alive. */
  after(delayMs: number, task: () => void): () => void
  /** Calls `task` once, in a task of its own soon after the running one, also while the page is hidden. */
  defer(task: () => void): void
}
