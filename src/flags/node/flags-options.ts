import type { FlagsOptions } from '../flags-options.ts'

/** The options of an agent for servers that concern flags, with their defaults filled in. */
export interface NodeFlagsOptions extends Pick<
  FlagsOptions,
  'host' | 'apiKey' | 'flagsApi' | 'featureFlagsRequestMaxRetries'
> {
  /** Milliseconds after which one request is given up; the first read waits as long for the first definitions. */
  readonly featureFlagsRequestTimeoutMs: number
  /** What a read says that does not tell. */
  readonly disableGeoip: boolean
  /** True: a read never asks the service unless it is told to. */
  readonly strictLocalEvaluation: boolean
  /** Flags that name contexts count only when they name one of these; undefined, or none: all flags count. */
  readonly evaluationContexts?: readonly string[] | undefined
  /** Reads remembered as reported; see `createCalledLog`. */
  readonly maxFlagCalledEntries: number
}
