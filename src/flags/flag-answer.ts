import type { FlagDetail, FlagsAnswer, RemoteConfig } from '../wire/decide.ts'
import { flagDetails } from './flag-detail.ts'

/** An answer of the flag endpoint, whatever its generation. */
export interface FlagAnswer {
  /** Undefined when the answer speaks of no flags: nothing changes then. */
  readonly flags?: Readonly<Record<string, FlagDetail>> | undefined
  /** Some flags could not be computed: merge, never replace. */
  readonly isPartial?: boolean
  /** What is wrong with it, in the words of `$feature_flag_error`. */
  readonly errors: string[]
  readonly requestId?: string | undefined
  readonly isMinimal?: boolean
  /** Whatever else it says. */
  readonly config: RemoteConfig
}

/** @returns Undefined for a text that is no answer at all: not JSON, or of no known shape. */
export const readFlagAnswer = (text: string): FlagAnswer | undefined => {
  try {
    const {
      flags,
      featureFlags,
      featureFlagPayloads,
      errorsWhileComputingFlags,
      quotaLimited,
      requestId,
      minimalFlagCalledEvents,
      minimal_flag_called_events: minimal = minimalFlagCalledEvents,
      ...config
    } = JSON.parse(text) as FlagsAnswer
    const given = flags ? { ...flags } : featureFlags && flagDetails(featureFlags, featureFlagPayloads)
    let isPartial = !!errorsWhileComputingFlags
    for (const key of Object.keys(given ?? {}))
      if (given![key]!.failed) {
        delete given![key]
        isPartial = true
      }
    const isLimited = !!quotaLimited?.includes('feature_flags')
    const errors: string[] = []
    if (isPartial) errors.push('errors_while_computing_flags')
    if (isLimited) errors.push('quota_limited')
    return { flags: isLimited ? undefined : given, isPartial, errors, requestId, isMinimal: minimal === true, config }
  } catch {
    return undefined
  }
}
