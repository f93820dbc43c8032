/** Lifecycle of the page or app. Each subscription returns its unsubscribe function. */
export interface Lifecycle {
  /** The page is visible again, was restored from the back/forward cache, or is online again: deliver now. */
  onWake(listener: (cause: 'visible' | 'restored' | 'online') => void): () => void
  /** The page is hidden. It may be shown again, or be killed without another event. */
  onHidden(listener: () => void): () => void
  /**
   * The page is left. The listener can do its last synchronous work.
   *
   * @param listener `isPersisted`: the browser may keep the page and restore it later.
   */
  onUnload(listener: (isPersisted: boolean) => void): () => void
  /** False when the platform says that the device has no network. It may be wrong: some VPNs and proxies look like that. */
  isOnline(): boolean
}
