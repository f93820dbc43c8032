import type { FlagValue } from '../wire/decide.ts'

/** An answer of the flag endpoint, whatever its generation. */
export interface FlagAnswer {
  /** Undefined when the answer speaks of no flags: nothing changes then. */
  readonly _flags: Record<string, FlagValue> | undefined
  /** Has every key of `_flags`, so that merging it also takes away payloads that are gone. */
  readonly _payloads: Record<string, unknown>
  /** Some flags could not be computed: merge, never replace. */
  readonly _partial: boolean
  readonly _quotaLimited: boolean
  readonly _requestId: string | undefined
  readonly _compression: readonly string[] | undefined
}

interface FlagDetail {
  readonly enabled: boolean
  readonly variant?: string | null
  readonly failed?: boolean
  readonly metadata?: { readonly payload?: unknown } | null
}

/** The three shapes in use: a list of the keys that are on (v1), values beside payloads (v3), one record per flag (flags v2). */
interface Body {
  readonly flags?: Record<string, FlagDetail>
  readonly featureFlags?: string[] | Record<string, FlagValue>
  readonly featureFlagPayloads?: Record<string, unknown>
  readonly errorsWhileComputingFlags?: boolean
  readonly quotaLimited?: readonly string[]
  readonly requestId?: string
  readonly supportedCompression?: readonly string[]
}

/** @returns Undefined for a text that is no answer at all: not JSON, or of no known shape. */
export const readFlagAnswer = (text: string): FlagAnswer | undefined => {
  try {
    const body: Body = JSON.parse(text)
    const given = body.flags ?? body.featureFlags
    const list = Array.isArray(given)
    const flags: Record<string, FlagValue> = {}
    const payloads: Record<string, unknown> = {}
    let partial = !!body.errorsWhileComputingFlags
    for (const key of list ? given : Object.keys(given ?? {})) {
      const flag = list || given![key]!
      if (typeof flag !== 'object') {
        flags[key] = flag
        payloads[key] = body.featureFlagPayloads?.[key]
      } else if (flag.failed) partial = true
      else {
        flags[key] = flag.variant ?? flag.enabled
        payloads[key] = flag.metadata?.payload
      }
    }
    return {
      _flags: given && flags,
      _payloads: payloads,
      _partial: partial,
      _quotaLimited: !!body.quotaLimited?.includes('feature_flags'),
      _requestId: body.requestId,
      _compression: Array.isArray(body.supportedCompression) ? body.supportedCompression : undefined,
    }
  } catch {
    return undefined
  }
}
