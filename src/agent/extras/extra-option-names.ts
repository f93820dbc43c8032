import type { ExtraOptions } from './extra-options.ts'

/** A record, so that the compiler finds a missing option. */
const OPTIONS: Readonly<Record<keyof ExtraOptions, 0>> = {
  loaded: 0,
  captureScreen: 0,
  evaluationContexts: 0,
  hashRouting: 0,
  maskProperties: 0,
  maskUrlParameters: 0,
  maskPaths: 0,
}

/** Names of the options that only `withExtras()` knows. */
export const EXTRA_OPTION_NAMES: readonly string[] = Object.keys(OPTIONS)
