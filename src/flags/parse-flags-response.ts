import type { FlagDetail, FlagsResponse } from '../wire/decide.ts'
import { createFlagDetails } from './flag-detail.ts'
import type { FlagSnapshot } from './flag-snapshot.ts'

/** A response of the flag endpoint, of either generation, or the remote config alone. */
export interface ParsedFlagsResponse {
  /** What is wrong with the response: values of `$feature_flag_error`. */
  readonly errors: readonly string[]
  /** The fields of the snapshot that change. A response without flags changes none of them. */
  readonly changes: FlagSnapshot
}

/**
 * Parses a flags response.
 *
 * @param snapshot A partial response is merged into its flags instead of replacing them.
 * @returns Undefined when the body is not JSON or has an unknown shape.
 */
export const parseFlagsResponse = (body: string, snapshot: FlagSnapshot): ParsedFlagsResponse | undefined => {
  try {
    const {
      flags,
      featureFlags,
      featureFlagPayloads,
      errorsWhileComputingFlags,
      quotaLimited,
      requestId,
      minimalFlagCalledEvents,
      minimal_flag_called_events: isMinimal = minimalFlagCalledEvents,
      ...config
    } = JSON.parse(body) as FlagsResponse
    const details: Record<string, FlagDetail> | undefined =
      flags ?? (featureFlags && createFlagDetails(featureFlags, featureFlagPayloads))
    let isPartial = errorsWhileComputingFlags
    for (const key of Object.keys(details ?? {}))
      if (details![key]!.failed) {
        delete details![key]
        isPartial = true
      }
    const errors = isPartial ? ['errors_while_computing_flags'] : []
    const isLimited = quotaLimited?.includes('feature_flags')
    if (isLimited) errors.push('quota_limited')
    return {
      errors,
      changes: {
        config: { ...snapshot.config, ...config },
        ...(details &&
          !isLimited && {
            flags: { ...(isPartial && snapshot.flags), ...details },
            isPart: undefined,
            requestId,
            isMinimal: isMinimal === true,
          }),
      },
    }
  } catch {
    return undefined
  }
}
