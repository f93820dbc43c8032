/** Lifecycle of the process around an agent. On platforms without a process (the edge) every method does nothing. */
export interface ProcessLifecycle {
  /** Keeps the process alive until the returned function is called. */
  keepAlive(): () => void
  /** The process has nothing left to do and would exit; `keepAlive` prevents that. Returns the unsubscribe function. */
  onIdle(listener: () => void): () => void
  /**
   * The process exits, after its work or through `process.exit()`. The listener can do its last synchronous work. It is called at once if
   * the process is already exiting. Returns the unsubscribe function.
   */
  onExit(listener: () => void): () => void
}
