import { isNonBlankString } from '../wire/is-non-blank-string.ts'
import { EventName } from '../wire/event.ts'
import type { Core } from './core.ts'
import { createIdentityVerbs } from './identity-verbs.ts'
import { clamp, SHUTDOWN_TIMEOUT_MS } from './base-options.ts'
import type { PartContents } from './parts.ts'
import type { CaptureWaymark } from './waymark.ts'

/** Creates all verbs of a started agent. A new verb also needs a line in its table. */
export const createVerbs = (core: Core, surveys: PartContents['surveys']): CaptureWaymark => {
  const { pipeline, flags, platform } = core
  const { state } = pipeline
  const identity = createIdentityVerbs(core)
  let shutdown: Promise<void> | undefined

  const capture: CaptureWaymark['capture'] = (event, properties = {}, options) =>
    void pipeline.capture(event, properties as Record<string, unknown>, options)
  const setOptedOut = (isOptedOut: boolean): void => {
    // Another tab may have changed the consent.
    state.refresh()
    if (state.current().isOptedOut !== isOptedOut) state.change((current) => ({ ...current, isOptedOut }), true)
  }

  return {
    ...identity,
    ...flags?.verbs,
    ...surveys?.create(capture, platform.clock.now),
    capture,
    pageview: (properties, options) => capture(EventName.pageview, properties, options),
    screen(name, properties, options) {
      const isNamed = isNonBlankString(name)
      if (isNamed) identity.registerForSession({ $screen_name: name })
      capture(isNamed ? EventName.screen : '', properties, options)
    },
    optOut(options) {
      setOptedOut(true)
      if (options?.clear) identity.reset({ resetDeviceID: true })
    },
    optIn() {
      setOptedOut(false)
      void pipeline.flush()
      void flags?.verbs.reloadFeatureFlags()
    },
    isOptedOut: () => !!state.current().isOptedOut,
    getDistinctId: () => state.current().distinctId,
    getAnonymousId: () => state.current().anonymousId,
    getDeviceId: () => state.current().deviceId,
    getSessionId: pipeline.sessionId,
    resetSession: () => state.change((current) => ({ ...current, session: undefined })),
    getStatus: pipeline.getStatus,
    flush: pipeline.flush,
    shutdown: (timeoutMs) => (shutdown ??= core.shutdown(clamp(timeoutMs, SHUTDOWN_TIMEOUT_MS, 0))),
    debug: (isDebug = true) => platform.setDebug(isDebug),
  }
}
