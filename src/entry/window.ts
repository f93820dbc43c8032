import type { Waymark } from '../agent/waymark.ts'
import type { BrowserOptions } from './browser-entry.ts'

/**
 * `window.waymark` of `waymark.js`: the verbs of the agent, and `init` to start it by hand. Without `data-key`, the verbs exist after `init`;
 * `waymark-capture.js` has no verbs of flags and surveys.
 */
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
