import { createEvaluatedFlags } from '../../flags/node/create-evaluated-flags.ts'
import type { RequestContexts } from '../../port/request-context.ts'
import type { Waymark } from './waymark.ts'

/** The agent that does nothing: disabled, or started without a key or a host. Its answers are those about an unknown user who has opted out. */
export const idleAgent = (contexts: RequestContexts): Waymark => {
  const nothing = (): void => undefined
  const later = (): Promise<undefined> => Promise.resolve(undefined)
  const noFlags = createEvaluatedFlags(undefined, new Map(), nothing)
  return {
    capture: nothing,
    captureImmediate: later,
    identify: nothing,
    alias: nothing,
    groupIdentify: nothing,
    register: nothing,
    unregister: nothing,
    optOut: nothing,
    optIn: nothing,
    isOptedOut: () => true,
    withContext: (context, task) => contexts.run(context ?? {}, task),
    getContext: contexts.current,
    flush: later,
    shutdown: later,
    debug: nothing,
    getFeatureFlag: later,
    isFeatureEnabled: (_key, _distinctId, options) => Promise.resolve(options?.defaultValue as never),
    getFeatureFlagPayload: later,
    getFeatureFlagResult: later,
    getFeatureFlags: () => Promise.resolve({}),
    getFeatureFlagsAndPayloads: () => Promise.resolve({ flags: {}, payloads: {} }),
    evaluateFlags: () => Promise.resolve(noFlags),
    overrideFeatureFlags: nothing,
    reloadFeatureFlags: later,
    isLocalEvaluationReady: () => false,
    waitForLocalEvaluationReady: () => Promise.resolve(false),
  }
}
