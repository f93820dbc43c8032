/** Short messages between tabs of one site that share a store. Delivery is best effort. */
export interface Channel {
  post(message: readonly string[]): void
  /** Subscribes the only listener, and returns the unsubscribe function. */
  onMessage(listener: (message: readonly string[]) => void): () => void
}
