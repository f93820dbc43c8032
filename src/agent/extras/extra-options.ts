import type { Waymark } from '../waymark.ts'
import type { ExtraVerbs } from './extra-verbs.ts'
import type { MaskOptions } from './mask.ts'

/** An agent with the verbs of `waymark/extras`. */
export type ExtendedWaymark = Waymark & ExtraVerbs

/** The options that `withExtras()` adds to those of `init`. */
export interface ExtraOptions extends MaskOptions {
  /**
   * Called once when the agent starts, before it captures or sends anything: the place for `register`, `identify` or `optOut`. An exception
   * becomes a warning. Default: none.
   */
  loaded?: (agent: ExtendedWaymark) => void
  /**
   * Captures a `$screen` at load and whenever the route changes, for installed web apps and web views that count screens. True: its name is
   * the route. A function returns the name for a route; undefined or an empty string captures nothing for it. Default: false.
   */
  captureScreen?: boolean | ((route: string) => string | undefined)
  /**
   * A flag that names evaluation contexts counts only if it names one of these. The service decides that, so it holds for all flags that are
   * requested; `waymark/evaluate` does not look at contexts. Default, also for an empty list: all flags.
   */
  evaluationContexts?: readonly string[]
  /**
   * The route includes a hash that begins with `#/` or `#!/`, without its query: a change of it counts as a page view and a screen. Other
   * hashes are anchors, and count as nothing. Default: false, the route is the path of the URL.
   */
  hashRouting?: boolean
}
