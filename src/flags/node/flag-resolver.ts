import { getOwn } from '../../evaluate/own-property.ts'
import { shareWork } from '../../evaluate/work-budget.ts'
import { describeError } from '../../evaluate/describe-error.ts'
import { keepProcessAlive } from '../../lib/keep-process-alive.ts'
import { noop } from '../../lib/noop.ts'
import { once } from '../../lib/once.ts'
import { resolveDistinctId } from '../../lib/resolve-distinct-id.ts'
import type { Id } from '../../wire/id-to-string.ts'
import { isNonBlankString } from '../../wire/is-non-blank-string.ts'
import { getFlagValue } from '../flag-detail.ts'
import { createLocalContext } from '../create-local-context.ts'
import type { ResolvedFlag } from '../local-flags.ts'
import { createFlagsSubject } from './flags-subject.ts'
import type { FlagsSubject } from './flags-subject.ts'
import type { EvaluateOptions, FlagOptions, ReadOptions } from './flag-reader.ts'
import type { NodeFlagsOptions } from './node-flags-options.ts'
import type { NodeFlagsPorts } from './node-flags-ports.ts'
import { createLocalEvaluator } from './local-evaluator.ts'
import type { Overrides } from './overrides.ts'
import { createCalledReporter } from './called-reporter.ts'
import { createRemoteFlags } from './remote-flags.ts'
import type { RemoteFlagsResponse, EvaluationInfo } from './remote-flags.ts'

interface Evaluation {
  /** Flags that have a value. */
  readonly flags: Map<string, ResolvedFlag>
  readonly info: EvaluationInfo
}

/** Several flags of one user. */
export interface ResolvedFlags {
  /** Undefined if no valid distinct id was found. */
  readonly distinctId: string | undefined
  /** Flags that have a value. */
  readonly flags: ReadonlyMap<string, ResolvedFlag>
  /** Reports a read of this flag as `$feature_flag_called`. */
  report(key: string): void
}

/** Finds the values of flags: overrides, then local evaluation, then the service. No method rejects. */
export interface FlagResolver {
  /**
   * Resolves one flag. Separate from `resolveFlags`, because the map for several flags would make a local read slower.
   *
   * @param isReported Whether to report the read. Default: `sendFeatureFlagEvents` of the options, or true.
   */
  resolveFlag(
    key: string,
    distinctId: Id | undefined,
    options: ReadOptions | undefined,
    isReported?: boolean,
  ): Promise<ResolvedFlag | undefined>
  /** Resolves several flags with at most one request; reports none of them. */
  resolveFlags(distinctId: Id | undefined, options: EvaluateOptions | undefined): Promise<ResolvedFlags>
  /** Aborts requests. Later reads send no request and are not reported. */
  stop(): void
}

/** The info of an evaluation without a request: all flags were evaluated locally. */
const COMPLETE: EvaluationInfo = { errors: [], isIncomplete: false }

/** Replaces the response when only the service can evaluate a flag, but the options forbid a request. */
const INCONCLUSIVE: RemoteFlagsResponse = { flags: {}, errors: ['local_evaluation_inconclusive'], isIncomplete: true }

export const createFlagResolver = (
  settings: NodeFlagsOptions,
  ports: NodeFlagsPorts,
  overrides: Overrides,
): FlagResolver => {
  const { clock, contexts, keepAlive, logger } = ports
  const local = createLocalEvaluator(settings, ports)
  const remote = createRemoteFlags(settings, ports)
  const reporter = createCalledReporter(settings.maxFlagCalledEntries, ports)
  const warnOnce = once(logger.warn)

  const isFlagKey = (key: unknown): key is string => {
    const isKey = isNonBlankString(key)
    if (!isKey) logger.warn('a feature flag was not read: its key must be a string that is not blank')
    return isKey
  }

  /** The valid keys of `flagKeys`; undefined means all flags. */
  const readFlagKeys = ({ flagKeys }: EvaluateOptions): readonly string[] | undefined => {
    if (Array.isArray(flagKeys ?? [])) return flagKeys?.filter(isFlagKey)
    logger.warn('feature flags were not read: flagKeys must be an array of strings')
    return []
  }

  const createSubject = (distinctId: unknown, options: FlagOptions): FlagsSubject | undefined => {
    // No flags are better than another user's flags.
    const id = resolveDistinctId(distinctId, contexts)
    if (id) return createFlagsSubject(id, options, settings.disableGeoip)
    warnOnce('feature flags were not read: distinctId is missing; pass one, or use withContext()')
    return undefined
  }

  const fetchFlags = async (
    subject: FlagsSubject,
    keys: readonly string[] | undefined,
    { onlyEvaluateLocally }: FlagOptions,
  ): Promise<RemoteFlagsResponse> =>
    (onlyEvaluateLocally ?? settings.strictLocalEvaluation)
      ? INCONCLUSIVE
      : keepProcessAlive(keepAlive, remote.fetchFlags(subject, keys))

  const resolveFlag: FlagResolver['resolveFlag'] = async (
    key,
    distinctId,
    options,
    isReported = options?.sendFeatureFlagEvents ?? true,
  ) => {
    try {
      if (!isFlagKey(key)) return undefined
      const overridingFlag = overrides.flag(key)
      if (overridingFlag) return overridingFlag
      // JavaScript callers may pass null.
      const flagOptions = options ?? {}
      const subject = createSubject(distinctId, flagOptions)
      if (!subject) return undefined
      const firstLoad = local.waitForFirstLoad()
      if (firstLoad) await firstLoad
      const localFlags = local.currentFlags()
      let flag = localFlags ? localFlags.evaluate(key, createLocalContext(subject, clock.now())) : 'inconclusive'
      let info = COMPLETE
      if (flag === 'inconclusive') {
        const response = await fetchFlags(subject, [key], flagOptions)
        info = response
        flag = getOwn(response.flags, key)
      }
      // Reported before the payload override: the event carries the payload of the definition.
      if (isReported) reporter.report(subject, key, flag, info)
      return overrides.withPayload(key, flag)
    } catch (error) {
      logger.warn(`the feature flag ${key} cannot be read: ${describeError(error)}`)
      return undefined
    }
  }

  /** Evaluates flags locally and requests the inconclusive ones. The response never replaces a local value. */
  const evaluate = async (
    subject: FlagsSubject,
    options: FlagOptions,
    flagKeys: readonly string[] | undefined,
  ): Promise<Evaluation> => {
    const firstLoad = local.waitForFirstLoad()
    if (firstLoad) await firstLoad
    const localFlags = local.currentFlags()
    const flags = new Map<string, ResolvedFlag>()
    // Without any local flag, all flags are requested. As in other SDKs, empty definitions are treated as missing.
    const requestedKeys = flagKeys ?? (localFlags?.keys.length ? localFlags.keys : undefined)
    const unresolvedKeys = requestedKeys && new Set(requestedKeys)
    if (unresolvedKeys) {
      for (const key of overrides.keys()) unresolvedKeys.delete(key)
      const context = createLocalContext(subject, clock.now())
      shareWork(() => {
        for (const key of localFlags ? unresolvedKeys : []) {
          const flag = localFlags!.evaluate(key, context)
          if (flag === 'inconclusive') continue
          unresolvedKeys.delete(key)
          if (flag) flags.set(key, flag)
        }
      })
      if (unresolvedKeys.size === 0) return { flags, info: COMPLETE }
    }
    const askedKeys = flagKeys ? new Set(flagKeys) : unresolvedKeys
    // The caller's own list is asked whole, as the protocol says; the response never replaces a local value.
    const response = await fetchFlags(subject, askedKeys && [...askedKeys], options)
    for (const [key, flag] of Object.entries(response.flags))
      if (getFlagValue(flag) !== undefined && (!unresolvedKeys || unresolvedKeys.has(key))) flags.set(key, flag)
    return { flags, info: response }
  }

  const resolveFlags: FlagResolver['resolveFlags'] = async (distinctId, options) => {
    const evaluateOptions = options ?? {}
    const flagKeys = readFlagKeys(evaluateOptions)
    const keys = overrides.keys().filter((key) => flagKeys?.includes(key) ?? true)
    const overriddenFlags = new Map(keys.map((key) => [key, overrides.flag(key)!]))
    try {
      const subject = createSubject(distinctId, evaluateOptions)
      if (!subject) return { distinctId: undefined, flags: overriddenFlags, report: noop }
      const { flags, info } = await evaluate(subject, evaluateOptions, flagKeys)
      const withPayloads = [...flags].map(([key, flag]) => [key, overrides.withPayload(key, flag)] as const)
      return {
        distinctId: subject.distinct_id,
        flags: new Map([...withPayloads, ...overriddenFlags]),
        report: (key) =>
          overriddenFlags.has(key) || (isFlagKey(key) && reporter.report(subject, key, flags.get(key), info)),
      }
    } catch (error) {
      logger.warn(`feature flags cannot be read: ${describeError(error)}`)
      return { distinctId: undefined, flags: overriddenFlags, report: noop }
    }
  }

  return {
    resolveFlag,
    resolveFlags,
    stop() {
      remote.stop()
      reporter.stop()
    },
  }
}
