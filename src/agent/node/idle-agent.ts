import type { Status, StopReason } from '../../capture/status.ts'
import { createEvaluatedFlags } from '../../flags/node/create-evaluated-flags.ts'
import { noop } from '../../lib/noop.ts'
import type { RequestContexts } from '../../port/request-context.ts'
import type { Waymark } from './waymark.ts'

/**
 * Creates an agent that does nothing: for `disabled`, and for a missing key or host. Its methods return what they return for an unknown
 * user who has opted out.
 */
export const createIdleAgent = (contexts: RequestContexts, stopReason?: StopReason): Waymark => {
  const resolved = (): Promise<undefined> => Promise.resolve(undefined)
  const status: Status = {
    waitingEvents: 0,
    lastDelivery: undefined,
    lastError: undefined,
    nextAttempt: undefined,
    ...(stopReason && { stopReason }),
  }
  const noFlags = createEvaluatedFlags(undefined, new Map(), noop, noop)
  return {
    capture: noop,
    captureImmediate: resolved,
    identify: noop,
    setPersonProperties: noop,
    alias: noop,
    groupIdentify: noop,
    register: noop,
    unregister: noop,
    optOut: noop,
    optIn: noop,
    isOptedOut: () => true,
    withContext: (context, task) => contexts.run(context ?? {}, task),
    getContext: contexts.current,
    getStatus: () => status,
    flush: resolved,
    shutdown: resolved,
    debug: noop,
    getFeatureFlag: resolved,
    isFeatureEnabled: (_key, _distinctId, options) => Promise.resolve(options?.defaultValue as never),
    getFeatureFlagPayload: resolved,
    getFeatureFlagResult: resolved,
    getFeatureFlags: () => Promise.resolve({}),
    getFeatureFlagsAndPayloads: () => Promise.resolve({ flags: {}, payloads: {} }),
    evaluateFlags: () => Promise.resolve(noFlags),
    overrideFeatureFlags: noop,
    reloadFeatureFlags: resolved,
    isLocalEvaluationReady: () => false,
    waitForLocalEvaluationReady: () => Promise.resolve(false),
  }
}
