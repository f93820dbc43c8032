import type { Waymark } from './waymark.ts'

/** An agent that does nothing at all, for `disabled: true` and for a missing key: no storage, no traffic. */
export function inertAgent(): Waymark {
  const nothing = (): undefined => undefined
  const none = (): string => ''
  const done = (): Promise<void> => Promise.resolve()
  return {
    capture: nothing,
    pageview: nothing,
    screen: nothing,
    identify: nothing,
    alias: nothing,
    setPersonProperties: nothing,
    createPersonProfile: nothing,
    group: nothing,
    groupIdentify: nothing,
    reset: nothing,
    register: nothing,
    registerOnce: nothing,
    registerForSession: nothing,
    unregister: nothing,
    getFeatureFlag: nothing,
    isFeatureEnabled: (_key, options) => options?.defaultValue as never,
    getFeatureFlagPayload: nothing,
    getFeatureFlagResult: nothing,
    getFeatureFlags: () => ({}),
    getFeatureFlagsAndPayloads: () => ({ flags: {}, payloads: {} }),
    onFeatureFlags: () => nothing,
    reloadFeatureFlags: done,
    setPersonPropertiesForFlags: nothing,
    resetPersonPropertiesForFlags: nothing,
    setGroupPropertiesForFlags: nothing,
    resetGroupPropertiesForFlags: nothing,
    surveyShown: nothing,
    surveySent: nothing,
    surveyDismissed: nothing,
    optOut: nothing,
    optIn: nothing,
    isOptedOut: () => true,
    getDistinctId: none,
    getAnonymousId: none,
    getDeviceId: none,
    getSessionId: none,
    resetSession: nothing,
    flush: done,
    shutdown: done,
    debug: nothing,
  }
}
