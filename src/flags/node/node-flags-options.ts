import type { FlagsOptions } from '../flags-options.ts'

/** The Node agent's options about flags, with defaults filled in. */
export interface NodeFlagsOptions extends Pick<
  FlagsOptions,
  'host' | 'apiKey' | 'flagsApi' | 'featureFlagsRequestMaxRetries'
> {
  /** Timeout of one request, in milliseconds; also how long the first read waits for the first definitions. */
  readonly featureFlagsRequestTimeoutMs: number
  /** Default for reads without this option. */
  readonly disableGeoip: boolean
  /** True: a read sends no request unless it sets `onlyEvaluateLocally: false`. */
  readonly strictLocalEvaluation: boolean
  /** A flag that names contexts is used only if it names one of these. Undefined or empty: all flags are used. */
  readonly evaluationContexts?: readonly string[] | undefined
  /** Maximum reads to remember as reported; see `createCalledLog` in called-log.ts. */
  readonly maxFlagCalledEntries: number
}
