/** Time and timers, so that tests can control both. */
export interface Clock {
  /** Milliseconds since 1970, UTC. Can go back when the user changes the clock. */
  now(): number
  /** Calls `task` once after `delayMs`, and returns a function that cancels it. Never keeps a process alive. */
  after(delayMs: number, task: () => void): () => void
  /** Calls `task` once, in a separate task soon after the current one, even while the page is hidden. */
  defer(task: () => void): void
}
