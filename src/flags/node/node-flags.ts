import { keepProcessAlive } from '../../lib/keep-process-alive.ts'
import type { FlagValue } from '../../wire/decide.ts'
import type { Id } from '../../wire/id-to-string.ts'
import { getFlagPayload, getFlagResult, getFlagValue } from '../flag-detail.ts'
import type { FlagResult } from '../flag-verbs.ts'
import type { ResolvedFlag } from '../local-flags.ts'
import { createEvaluatedFlags } from './create-evaluated-flags.ts'
import { createFlagResolver } from './flag-resolver.ts'
import type { FlagReader, ReadOptions } from './flag-reader.ts'
import type { NodeFlagsOptions } from './node-flags-options.ts'
import type { NodeFlagsPorts } from './node-flags-ports.ts'
import { createOverrides } from './overrides.ts'

/** Feature flags for a process with many users. */
export interface NodeFlags {
  readonly verbs: FlagReader
  /** Ends all work: later reads send no request and report nothing. Never rejects. */
  shutdown(): Promise<void>
}

/** Default timeout of `waitForLocalEvaluationReady`. */
const READY_TIMEOUT_MS = 30_000

/** Creates the methods that read flags, and starts the loader of definitions if `ports` has one. */
export const createNodeFlags = (options: NodeFlagsOptions, ports: NodeFlagsPorts): NodeFlags => {
  const { definitions, keepAlive } = ports
  const overrides = createOverrides()
  const resolver = createFlagResolver(options, ports, overrides)

  const verbs: FlagReader = {
    async getFeatureFlag(key, distinctId, options) {
      return getFlagValue(await resolver.resolveFlag(key, distinctId, options))
    },
    async isFeatureEnabled(
      key: string,
      distinctId?: Id,
      options?: ReadOptions & { defaultValue?: boolean | undefined },
    ) {
      const value = getFlagValue(await resolver.resolveFlag(key, distinctId, options))
      return (value === undefined ? options?.defaultValue : !!value) as never
    },
    async getFeatureFlagPayload(key, distinctId, options) {
      return getFlagPayload(await resolver.resolveFlag(key, distinctId, options, false))
    },
    async getFeatureFlagResult(key, distinctId, options) {
      return getFlagResult(key, await resolver.resolveFlag(key, distinctId, options)) as
        | FlagResult<typeof key>
        | undefined
    },
    async getFeatureFlags(distinctId, options) {
      const { flags } = await resolver.resolveFlags(distinctId, options)
      return mapValues<FlagValue>(flags, getFlagValue)
    },
    async getFeatureFlagsAndPayloads(distinctId, options) {
      const { flags } = await resolver.resolveFlags(distinctId, options)
      return { flags: mapValues<FlagValue>(flags, getFlagValue), payloads: mapValues<unknown>(flags, getFlagPayload) }
    },
    async evaluateFlags(distinctId, options) {
      const resolved = await resolver.resolveFlags(distinctId, options)
      return createEvaluatedFlags(resolved.distinctId, resolved.flags, resolved.report, ports.logger.warn)
    },
    overrideFeatureFlags: overrides.set,
    async reloadFeatureFlags() {
      if (definitions) await keepProcessAlive(keepAlive, definitions.reload())
    },
    isLocalEvaluationReady: () => !!definitions?.current(),
    async waitForLocalEvaluationReady(timeoutMs = READY_TIMEOUT_MS) {
      return definitions ? keepProcessAlive(keepAlive, definitions.waitUntilReady(timeoutMs)) : false
    },
  }

  definitions?.start()
  return {
    verbs,
    async shutdown() {
      resolver.stop()
      await definitions?.shutdown()
    },
  }
}

const mapValues = <T>(
  flags: ReadonlyMap<string, ResolvedFlag>,
  getValue: (flag: ResolvedFlag) => T | undefined,
): Record<string, T> => {
  const entries: [string, T][] = []
  for (const [key, flag] of flags) {
    const value = getValue(flag)
    if (value !== undefined) entries.push([key, value])
  }
  // Assignment would lose the key `__proto__`.
  return Object.fromEntries(entries)
}
