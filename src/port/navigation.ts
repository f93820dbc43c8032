/** The part of a navigation container's ref that is used. */
export interface NavigationRef {
  addListener(type: 'state', listener: () => void): () => void
  /** False until a navigator is mounted. Before that, `getCurrentRoute` would write an error to the console. */
  isReady(): boolean
  getCurrentRoute(): Route | undefined
}

/** The screen that is shown. */
export interface Route {
  readonly name: string
  readonly key?: string
  readonly params?: object | undefined
  readonly path?: string | undefined
}
