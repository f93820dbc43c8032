/** What happens to the page or app. Each subscription answers its own end. */
export interface Lifecycle {
  /** The page can be seen again, came back from the back/forward cache, or the network returned: deliver now. */
  onWake(listener: (cause: 'visible' | 'restored' | 'online') => void): () => void
  /** The page cannot be seen any more; it may still live, or be killed without a word. */
  onHidden(listener: () => void): () => void
  /**
   * The page goes away now: last synchronous work.
   *
   * @param listener `mayReturn`: the browser keeps the page for now, and it may come back (`restored`).
   */
  onUnload(listener: (mayReturn: boolean) => void): () => void
  /** False only when the platform is sure that there is no network. */
  isOnline(): boolean
}
