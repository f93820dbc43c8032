import { isText } from '../capture/is-text.ts'
import { surveyVerbs } from '../surveys/survey-verbs.ts'
import { EventName } from '../wire/event.ts'
import type { Core } from './core.ts'
import { identityVerbs } from './identity.ts'
import { bounded } from './options.ts'
import type { Waymark } from './waymark.ts'

/** How long `shutdown()` delivers at most (the field's 30 seconds). */
const SHUTDOWN_MS = 30_000

/** All verbs of an agent that has begun, put together. A new one also needs its line in the table of verbs. */
export const composeVerbs = (core: Core): Waymark => {
  const { pipeline, flags, platform } = core
  const { state } = pipeline
  const identity = identityVerbs(core)
  let ended: Promise<void> | undefined

  const capture: Waymark['capture'] = (event, properties = {}, options) =>
    void pipeline.capture(event, properties as Record<string, unknown>, options)
  const consent = (isOptedOut: boolean): void => {
    // Another tab may have changed it since.
    state.refresh()
    if (state.current().isOptedOut !== isOptedOut) state.change((known) => ({ ...known, isOptedOut }), true)
  }

  return {
    ...identity,
    ...flags.verbs,
    ...surveyVerbs(capture, platform.clock.now),
    capture,
    pageview: (properties, options) => capture(EventName.pageview, properties, options),
    screen(name, properties, options) {
      if (isText(name)) identity.registerForSession({ $screen_name: name })
      capture(isText(name) ? EventName.screen : '', properties, options)
    },
    optOut(options) {
      consent(true)
      if (options?.clear) identity.reset({ resetDeviceID: true })
    },
    optIn() {
      consent(false)
      void pipeline.flush()
      void flags.verbs.reloadFeatureFlags()
    },
    isOptedOut: () => state.current().isOptedOut,
    getDistinctId: () => state.current().distinctId,
    getAnonymousId: () => state.current().anonymousId,
    getDeviceId: () => state.current().deviceId,
    getSessionId: pipeline.sessionId,
    resetSession: () => state.change((known) => ({ ...known, session: undefined })),
    flush: pipeline.flush,
    shutdown: (timeoutMs) => (ended ??= core.shutdown(bounded(timeoutMs, SHUTDOWN_MS, 0))),
    debug: (on = true) => platform.setDebug(on),
  }
}
