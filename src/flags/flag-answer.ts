import type { FlagDetail, FlagsAnswer } from '../wire/decide.ts'
import { flagDetails } from './flag-detail.ts'
import type { FlagSnapshot } from './flag-snapshot.ts'

/** An answer of the flag endpoint, whatever its generation, or the remote config alone. */
export interface FlagAnswer {
  /** What is wrong with it, in the words of `$feature_flag_error`. */
  readonly errors: readonly string[]
  /** What is different now. An answer that speaks of no flags changes none. */
  readonly changes: FlagSnapshot
}

/**
 * @param known A partial answer is merged with its flags, never replaces them.
 * @returns Undefined for a text that is no answer at all: not JSON, or of no known shape.
 */
export const readFlagAnswer = (text: string, known: FlagSnapshot): FlagAnswer | undefined => {
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
    const given: Record<string, FlagDetail> | undefined =
      flags ?? (featureFlags && flagDetails(featureFlags, featureFlagPayloads))
    let isPartial = errorsWhileComputingFlags
    for (const key in given)
      if (given[key]!.failed) {
        delete given[key]
        isPartial = true
      }
    const errors = isPartial ? ['errors_while_computing_flags'] : []
    const isLimited = quotaLimited?.includes('feature_flags')
    if (isLimited) errors.push('quota_limited')
    return {
      errors,
      changes: {
        config: { ...known.config, ...config },
        ...(given &&
          !isLimited && {
            flags: { ...(isPartial && known.flags), ...given },
            isPart: undefined,
            requestId,
            isMinimal: minimal === true,
          }),
      },
    }
  } catch {
    return undefined
  }
}
