/** Time and its passing, so that tests own both. */
export interface Clock {
  /** Milliseconds since 1970, UTC. May go back when the user changes the clock. */
  now(): number
  /** Calls `task` once after `delayMs`; the answer cancels it. Never keeps a process alive. */
  after(delayMs: number, task: () => void): () => void
  /** Calls `task` once, after the running event-loop turn and before later turns' timers. */
  defer(task: () => void): void
}
