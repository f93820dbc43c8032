/** Short messages between the tabs of one site that share a store. Delivery is best effort. */
export interface Channel {
  post(message: readonly string[]): void
  /** One listener at a time; the answer ends it. */
  onMessage(listener: (message: readonly string[]) => void): () => void
}
