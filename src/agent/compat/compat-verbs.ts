import type { FlagVerbs } from '../../flags/flag-verbs.ts'
import { noop } from '../../port/noop.ts'
import { EventName } from '../../wire/event.ts'
import type { EventListenerList } from '../extras/listeners.ts'
import { createUserVerbs } from '../extras/user-verbs.ts'
import type { StateAccess } from '../extras/user-verbs.ts'
import type { CaptureWaymark } from '../waymark.ts'
import { toCaptureResult } from './create-hooks.ts'
import { mapBootstrap } from './map-config.ts'
import type { PostHog, Properties } from './posthog.ts'

/** The agent behind the calls. */
export type CompatAgent = CaptureWaymark & FlagVerbs

/** The calls of posthog-js but for `init`. */
export type CompatVerbs = Omit<PostHog, '__loaded' | 'people' | 'init'>

/** Person properties that one `capture()` may set. */
const PERSON_OPTIONS = ['$set', '$set_once', '$unset'] as const

/** Programs pass numeric ids of their database, too. */
const toId = (id: string): string => (typeof id === 'number' ? String(id) : id)

/**
 * Creates the calls of posthog-js over an agent. They may throw.
 *
 * @param getAgent Returns the agent.
 * @param getAccess Starts the agent, and returns the user's state. Undefined: another entry has started the agent.
 * @param onConsent Called when the user has opted in or out.
 */
export const createCompatVerbs = (
  getAgent: () => CompatAgent,
  getAccess: () => StateAccess | undefined,
  onConsent: (isOptedIn: boolean) => void,
  getTitle: () => string | undefined,
  listeners: EventListenerList,
  warn: (message: string) => void,
): CompatVerbs => {
  const { getConsent, ...userVerbs } = createUserVerbs(getAgent, getAccess)
  return {
    ...userVerbs,
    capture(event, properties, options) {
      const person: Properties = {}
      for (const name of PERSON_OPTIONS) if (options?.[name]) person[name] = options[name]
      const title = event === EventName.pageview ? { title: getTitle() } : {}
      getAgent().capture(event, { ...title, ...properties, ...person }, options)
      if (options?.send_instantly) void getAgent().flush()
    },
    register: (properties) => getAgent().register(properties),
    register_once: (properties) => getAgent().registerOnce(properties),
    unregister: (name) => getAgent().unregister(name),
    register_for_session: (properties) => getAgent().registerForSession(properties),
    unregister_for_session: (name) => getAgent().registerForSession({ [name]: null }),
    get_property(name) {
      const properties: Record<string, unknown> = {
        ...getAccess()?.getState().superProperties,
        distinct_id: getAgent().getDistinctId(),
        $device_id: getAgent().getDeviceId(),
        $groups: userVerbs.getGroups(),
      }
      return properties[name]
    },
    identify: (id, ...properties) => getAgent().identify(toId(id), ...properties),
    alias: (alias) => getAgent().alias(toId(alias)),
    setPersonProperties: (...properties) => getAgent().setPersonProperties(...properties),
    createPersonProfile: () => getAgent().createPersonProfile(),
    group: (type, key, properties) => getAgent().group(type, toId(key), properties),
    reset(options) {
      const { resetDeviceID = options === true, bootstrap } = Object(options) as Exclude<typeof options, boolean> & {}
      getAgent().reset({ resetDeviceID, bootstrap: mapBootstrap(bootstrap) })
    },
    get_distinct_id: () => getAgent().getDistinctId(),
    get_session_id: () => getAgent().getSessionId(),
    opt_in_capturing({ captureEventName = '$opt_in', captureProperties } = {}) {
      getAgent().optIn()
      if (captureEventName) getAgent().capture(captureEventName, captureProperties)
      onConsent(true)
    },
    opt_out_capturing() {
      getAgent().optOut()
      onConsent(false)
    },
    has_opted_in_capturing: () => !getAgent().isOptedOut(),
    has_opted_out_capturing: () => getAgent().isOptedOut(),
    is_capturing: () => !getAgent().isOptedOut(),
    get_explicit_consent_status() {
      const consent = getConsent()
      return consent === 'undecided' ? 'pending' : consent
    },
    getFeatureFlag: (key, options) => getAgent().getFeatureFlag(key, { send: options?.send_event }),
    isFeatureEnabled: (
      key: string,
      options?: { readonly send_event?: boolean | undefined; readonly defaultValue?: boolean },
    ): boolean =>
      getAgent().isFeatureEnabled(key, {
        send: options?.send_event,
        defaultValue: options?.defaultValue as boolean,
      }),
    getFeatureFlagPayload: (key) => getAgent().getFeatureFlagPayload(key),
    getFeatureFlagResult: (key, options) => getAgent().getFeatureFlagResult(key, { send: options?.send_event }),
    getAllFeatureFlags: () =>
      Object.keys(getAgent().getFeatureFlags() ?? {}).map(
        (key) => getAgent().getFeatureFlagResult(key, { send: false })!,
      ),
    onFeatureFlags: (listener) =>
      getAgent().onFeatureFlags((flags, { errorsLoading }) => {
        const enabled = Object.entries(flags).filter(([, value]) => value)
        const keys = enabled.map(([key]) => key)
        listener(keys, Object.fromEntries(enabled), { errorsLoading })
      }),
    reloadFeatureFlags: () => void getAgent().reloadFeatureFlags(),
    setPersonPropertiesForFlags: (...args) => getAgent().setPersonPropertiesForFlags(...args),
    resetPersonPropertiesForFlags: (reload) => getAgent().resetPersonPropertiesForFlags(reload),
    setGroupPropertiesForFlags: (...args) => getAgent().setGroupPropertiesForFlags(...args),
    resetGroupPropertiesForFlags: (type) => getAgent().resetGroupPropertiesForFlags(type),
    on(topic, listener) {
      if (topic === 'eventCaptured') return listeners.add('capture', (event) => listener(toCaptureResult(event)))
      warn(`on(${JSON.stringify(topic)}) has no effect`)
      return noop
    },
    debug: (isDebug) => getAgent().debug(isDebug !== false),
    shutdown: (timeoutMs) => getAgent().shutdown(timeoutMs),
  }
}
