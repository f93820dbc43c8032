import { BASE_LIMITS } from './base-options.ts'
import type { BaseNumber } from './base-options.ts'
import type { Options } from './options.ts'

/** An option of `init`. The entries know the last two. */
type OptionName = keyof Options | 'fetch' | 'tracingHeaders'

/** The words of a string with spaces between them. */
export type Words<List extends string> = List extends `${infer Word} ${infer Rest}` ? Word | Words<Rest> : List

/** In one string, because the script contains it. */
const WORDS =
  'host before_send onDrop onSend debug flagsApi maxBatchSize maxQueueSize sessionIdleTimeoutSeconds flagsIntervalMs disableCompression historicalMigration disableGeoip persistence crossSubdomainCookie personProfiles capturePageview captureBots defaultOptIn respectDnt disabled preloadFeatureFlags bootstrap extension fetch tracingHeaders'

/** Does not compile if an option is missing. */
const words: Exclude<OptionName, BaseNumber> extends Words<typeof WORDS> ? string : never = WORDS

/** Names of all options of a page. */
export const OPTION_NAMES: readonly string[] = [...Object.keys(BASE_LIMITS), ...words.split(' ')]

/** The further options of `waymark/evaluate`. */
export const EVALUATE_OPTION_NAMES: readonly string[] = ['definitionsUrl', 'partialDefinitions']
