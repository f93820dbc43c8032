import type { State } from '../../capture/state.ts'
import type { FlagVerbs } from '../../flags/flag-verbs.ts'
import { keepEqual } from '../../lib/keep-equal.ts'
import { noop } from '../../lib/noop.ts'
import { EventName } from '../../wire/event.ts'
import type { Listeners } from '../extras/extra-verbs.ts'
import { resetGroups } from '../extras/reset-groups.ts'
import type { StateAccess } from '../extras/state-access.ts'
import type { CaptureWaymark } from '../waymark.ts'
import { PERSON_MEMBERS, toCaptureResult } from './create-hooks.ts'
import type { LackingCalls } from './lacking-calls.ts'
import { mapBootstrap } from './map-config.ts'
import type { FlagOptions, PostHog, Properties } from './posthog.ts'

/** The agent behind the calls. */
export type CompatAgent = CaptureWaymark & FlagVerbs

/** The calls of posthog-js that differ from the verbs of our agent in more than spelling. */
export type CompatVerbs = Omit<PostHog, '__loaded' | 'people' | 'init' | Respelled | keyof LackingCalls>

type CamelCase<Name extends string> = Name extends `${infer Word}_${infer Rest}`
  ? `${Word}${Capitalize<CamelCase<Rest>>}`
  : Name

/** Calls that our agent has too, in its own spelling: `register_once` is `registerOnce`. */
type Respelled =
  | 'register'
  | 'register_once'
  | 'unregister'
  | 'register_for_session'
  | 'get_distinct_id'
  | 'get_session_id'
  | 'getAnonymousId'
  | 'identify'
  | 'alias'
  | 'group'
  | 'setPersonProperties'
  | 'createPersonProfile'
  | 'getFeatureFlag'
  | 'isFeatureEnabled'
  | 'getFeatureFlagPayload'
  | 'getFeatureFlagResult'
  | 'reloadFeatureFlags'
  | 'setPersonPropertiesForFlags'
  | 'resetPersonPropertiesForFlags'
  | 'setGroupPropertiesForFlags'
  | 'resetGroupPropertiesForFlags'
  | 'debug'
  | 'getStatus'
  | 'shutdown'

type Verbs = Record<string, (...args: unknown[]) => unknown>

/** The agent's verbs by name. Does not compile if our agent lacks one of the respelled. */
const verbsOf = <Agent extends (CamelCase<Respelled> extends keyof CompatAgent ? CompatAgent : never) | undefined>(
  agent: Agent,
): Verbs | (undefined extends Agent ? undefined : never) => agent as never

/**
 * Creates the calls over an agent. They may throw.
 *
 * @param getAgent Returns the agent.
 * @param getAccess Starts the agent, and returns the user's state. Undefined: another entry has started the agent.
 * @param onConsent Called when the user has opted in, and to opt out.
 */
export const createCompatVerbs = (
  getAgent: () => CompatAgent,
  getAccess: () => StateAccess | undefined,
  onConsent: (isOptedIn: boolean) => void,
  getTitle: () => string | undefined,
  addListener: (listener: Listeners['capture']) => () => void,
  warn: (message: string) => void,
): CompatVerbs => {
  const getState = (): Partial<State> => Object(getAccess()?.getState()) as Partial<State>
  const isOptedIn = (): boolean => !getAgent().isOptedOut()
  return {
    capture(event, properties, options) {
      const all: Properties = { ...(event === EventName.pageview && { title: getTitle() }), ...properties }
      for (const name of PERSON_MEMBERS) if (options?.[name]) all[name] = options[name]
      getAgent().capture(event, all, options)
      if (options?.send_instantly) void getAgent().flush()
    },
    unregister_for_session: (name) => getAgent().registerForSession({ [name]: null }),
    _isIdentified: () => !!getState().isIdentified,
    ...keepEqual<Pick<PostHog, 'get_property' | 'getGroups'>>({
      get_property(name) {
        const { superProperties, distinctId, deviceId, groups } = getState()
        const properties: Properties = {
          ...superProperties,
          distinct_id: distinctId,
          $device_id: deviceId,
          $groups: groups,
        }
        return properties[name]
      },
      getGroups: () => ({ ...getState().groups }),
    }),
    resetGroups: () => resetGroups(getAgent(), getAccess()),
    reset(options) {
      const { resetDeviceID = options === true, bootstrap } = Object(options) as Exclude<typeof options, boolean> & {}
      getAgent().reset({ resetDeviceID, bootstrap: mapBootstrap(bootstrap) })
    },
    opt_in_capturing({ captureEventName = '$opt_in', captureProperties } = {}) {
      getAgent().optIn()
      if (captureEventName) getAgent().capture(captureEventName, captureProperties)
      onConsent(true)
    },
    opt_out_capturing: () => onConsent(false),
    has_opted_in_capturing: isOptedIn,
    has_opted_out_capturing: () => !isOptedIn(),
    is_capturing: isOptedIn,
    get_explicit_consent_status() {
      // Without a state the agent is stopped, as by the browser's Do Not Track, or another entry has started it.
      const { isOptedOut = !isOptedIn() || 0 } = getState()
      if (typeof isOptedOut !== 'boolean') return 'pending'
      return isOptedOut ? 'denied' : 'granted'
    },
    onFeatureFlags: (listener) =>
      getAgent().onFeatureFlags((flags, context) => {
        const enabled = Object.entries(flags).filter(([, value]) => value)
        const keys = enabled.map(([key]) => key)
        listener(keys, Object.fromEntries(enabled), context)
      }),
    on(topic, listener) {
      if (topic === 'eventCaptured') return addListener((event) => listener(toCaptureResult(event)))
      warn(`on('${topic as string}') has no effect`)
      return noop
    },
  }
}

/**
 * Creates a call that is not among those of `createCompatVerbs`: the verb of the agent with this name in camel case, or one that does nothing
 * but warn. It may throw.
 */
export const createOtherVerb =
  (name: string, getAgent: () => CompatAgent | undefined, warn: (message: string) => void) =>
  (...args: unknown[]): unknown => {
    const [first, options] = args
    const verb = verbsOf(getAgent())?.[name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase())]
    if (verb)
      // Reads of flags differ in this option.
      return /Feature/.test(name)
        ? verb(first, { send: (options as FlagOptions)?.send_event, ...options! })
        : verb(...args)
    warn(`${name}() has no effect`)
    // The page may wait for a list.
    if (typeof first === 'function' && /^(get|onSurveys)/.test(name)) first([])
    return undefined
  }
