import type { Waymark } from '../agent/waymark.ts'
import type { BrowserOptions } from './init-browser.ts'

/** `window.waymark` of the script tag: all verbs, and `init` to start the agent by hand. Without `data-key`, the verbs exist after `init`. */
export interface WaymarkGlobal extends Waymark {
  /** Starts the agent, like `init` of the package. */
  init(apiKey: string, options?: BrowserOptions): Waymark
}

declare global {
  interface Window {
    /** The agent of the script tag; undefined until the script has arrived, unless the page has the stub. */
    waymark?: WaymarkGlobal
  }
}
