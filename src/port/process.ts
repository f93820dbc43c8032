/** The process around an agent. A runtime that has none (the edge) gives a port that does nothing. */
export interface ProcessLife {
  /** Keeps the process from ending by itself until the answer is called. */
  hold(): () => void
  /** The process would end now, for it has nothing left to do; it lives on for as long as it is held. The answer ends the subscription. */
  onIdle(listener: () => void): () => void
  /** The process ends, by itself or by `process.exit()`: last synchronous work; at once when it is ending already. The answer ends the subscription. */
  onExit(listener: () => void): () => void
}
