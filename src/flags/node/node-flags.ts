import type { FlagValue } from '../../wire/decide.ts'
import { payloadOf, valueOf } from '../flag-detail.ts'
import type { KnownFlag } from '../local-flags.ts'
import { createEvaluatedFlags } from './create-evaluated-flags.ts'
import { createFlagReading } from './flag-reading.ts'
import type { FlagReader, ReadOptions } from './flag-verbs.ts'
import type { NodeFlagsOptions } from './flags-options.ts'
import type { NodeFlagsPorts } from './flags-ports.ts'
import { held } from './held.ts'
import { createOverrides } from './overrides.ts'

/** The flags of a server's many users. */
export interface NodeFlags {
  readonly verbs: FlagReader
  /** Ends all work: the service is not asked any more and nothing is reported. Never rejects. */
  shutdown(): Promise<void>
}

/** How long `waitForLocalEvaluationReady` waits unless told, in milliseconds. */
const READY_MS = 30_000

/** Starts the loader of definitions, where there is one. */
export const createNodeFlags = (options: NodeFlagsOptions, ports: NodeFlagsPorts): NodeFlags => {
  const { definitions, hold } = ports
  const overrides = createOverrides()
  const reading = createFlagReading(options, ports, overrides)

  const verbs: FlagReader = {
    async getFeatureFlag(key, distinctId, given) {
      return valueOf(await reading.one(key, distinctId, given))
    },
    async isFeatureEnabled(
      key: string,
      distinctId?: string,
      given?: ReadOptions & { defaultValue?: boolean | undefined },
    ) {
      const value = valueOf(await reading.one(key, distinctId, given))
      return (value === undefined ? given?.defaultValue : !!value) as never
    },
    async getFeatureFlagPayload(key, distinctId, given) {
      return payloadOf(await reading.one(key, distinctId, given, false))
    },
    async getFeatureFlagResult(key, distinctId, given) {
      const flag = await reading.one(key, distinctId, given)
      const value = valueOf(flag)
      if (value === undefined) return undefined
      return {
        key,
        enabled: !!value,
        variant: typeof value === 'string' ? value : undefined,
        payload: payloadOf(flag),
      }
    },
    async getFeatureFlags(distinctId, given) {
      const { flags } = await reading.many(distinctId, given)
      return each<FlagValue>(flags, valueOf)
    },
    async getFeatureFlagsAndPayloads(distinctId, given) {
      const { flags } = await reading.many(distinctId, given)
      return { flags: each<FlagValue>(flags, valueOf), payloads: each<unknown>(flags, payloadOf) }
    },
    async evaluateFlags(distinctId, given) {
      const read = await reading.many(distinctId, given)
      return createEvaluatedFlags(read.distinctId, read.flags, read.report)
    },
    overrideFeatureFlags: overrides.set,
    async reloadFeatureFlags() {
      if (definitions) await held(hold, definitions.reload())
    },
    isLocalEvaluationReady: () => !!definitions?.current(),
    async waitForLocalEvaluationReady(timeoutMs = READY_MS) {
      return definitions ? held(hold, definitions.ready(timeoutMs)) : false
    },
  }

  definitions?.start()
  return {
    verbs,
    async shutdown() {
      reading.stop()
      await definitions?.shutdown()
    },
  }
}

const each = <T>(flags: ReadonlyMap<string, KnownFlag>, of: (flag: KnownFlag) => T | undefined): Record<string, T> => {
  const known: [string, T][] = []
  for (const [key, flag] of flags) {
    const value = of(flag)
    if (value !== undefined) known.push([key, value])
  }
  // Not by assignment: a key may be `__proto__`.
  return Object.fromEntries(known)
}
