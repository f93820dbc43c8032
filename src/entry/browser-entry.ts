import type { Platform } from '../agent/core.ts'
import type { Options } from '../agent/options.ts'
import type { Parts } from '../agent/parts.ts'
import type { CaptureWaymark } from '../agent/waymark.ts'
import type { StartTracing } from '../autocapture/start-tracing.ts'
import type { Lz64Encoder } from '../capture/encode.ts'
import type { CreateLocalFlags } from '../flags/local-flags.ts'
import type { LoadDescriber } from '../platform/web/logger.ts'

/** Options of an agent in a browser. */
export interface BrowserOptions extends Options {
  /** Replaces the platform's `fetch`, for events and flags. Default: the global `fetch`, looked up at each request. */
  fetch?: typeof fetch
  /**
   * Exact host names. Requests from this page to these hosts, by `fetch` or XMLHttpRequest, carry `X-POSTHOG-DISTINCT-ID` and
   * `X-POSTHOG-SESSION-ID`, so that events there belong to the same user. A host of another origin must allow these headers in CORS. Values
   * that are not strings are ignored. Default: none.
   */
  tracingHeaders?: readonly string[]
}

/** What differs between the entries for browsers. */
export interface BrowserEntry extends Parts {
  /** Loads the chunk with the sentences of debug mode and of mistakes. */
  readonly loadDescriber: LoadDescriber
  /** Names of all options, to warn of any other. Default: other names are reported only in debug mode. */
  readonly optionNames?: readonly string[]
  /** Starts the option `tracingHeaders`. Default: the option has no effect. */
  readonly tracing?: StartTracing
  /** Returns or loads the code that delivers the events. @param host URL of the service. */
  readonly loadDelivery: (host: string) => ReturnType<Platform['loadDelivery']>
  /** Compresses a beacon, and other bodies where there is no gzip. Default: they are plain JSON. */
  readonly lz64?: Lz64Encoder
  /** Evaluates flags on the page. Default: the service evaluates them. */
  readonly local?: CreateLocalFlags
  /** Called at the agent's start, before any of its verbs takes effect; at once when `init` returns a running agent. */
  readonly onStart?: (agent: CaptureWaymark) => void
}
