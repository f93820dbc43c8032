import type { CaptureOptions } from '../capture/capture.ts'
import type { Status } from '../capture/status.ts'
import type { FlagVerbs } from '../flags/flag-verbs.ts'
import type { SurveyVerbs } from '../surveys/survey-verbs.ts'
import type { Id } from '../wire/id-to-string.ts'
import type { EventKey, IfOptional, PropertiesOf } from '../wire/typed-events.ts'
import type { Options } from './options.ts'

/** Properties of an event, a person or a group: a plain object. The type also accepts interfaces. */
export type Properties = object

export interface ResetOptions {
  /** Also create a new device id. Default false. */
  readonly resetDeviceID?: boolean
  /** Identity, session and flags of the next user, applied after the reset. Default: none. */
  readonly bootstrap?: Options['bootstrap']
}

/**
 * The arguments of `capture()` after the name. Undefined is allowed where an argument may be missing. A mapped type, so that the agents of
 * two entries stay assignable to each other.
 */
type CaptureArguments<Name extends EventKey> = keyof WaymarkEvents extends never
  ? [properties?: Properties | undefined, options?: CaptureOptions | undefined]
  : {
      [Each in EventKey]: IfOptional<
        Each,
        [properties?: PropertiesOf<Each> | undefined, options?: CaptureOptions | undefined],
        [properties: PropertiesOf<Each>, options?: CaptureOptions | undefined]
      >
    }[Name]

/**
 * The agent of one page or app with its current user, without flags and surveys. No call throws or blocks. If the agent could not start
 * (the console shows why), every call returns undefined, also where the type says Promise.
 */
export interface CaptureWaymark {
  /** Captures an event. An empty name is refused with a warning. */
  capture<Name extends EventKey>(event: Name, ...args: CaptureArguments<Name>): void
  /** Captures a `$pageview` of the current page. The agent does it automatically unless `capturePageview` is false. */
  pageview(properties?: Properties, options?: CaptureOptions): void
  /** Captures a `$screen`. Later events of this page and session carry its name as `$screen_name`, until the next screen or `reset()`. */
  screen(name: string, properties?: Properties, options?: CaptureOptions): void

  /**
   * Identifies the current user: the events before and after belong to one person. To describe the current user without an id, call
   * `setPersonProperties`.
   *
   * Refused with a warning for an id that cannot be one person's (blank, more than 400 characters, or a placeholder such as `null` or
   * `anonymous`), with `personProfiles: 'never'`, and after `shutdown()`.
   *
   * @param distinctId The user's id. A number becomes its decimal string.
   * @param set Person properties, replaced by later ones.
   * @param setOnce Person properties that keep their first value.
   */
  identify(distinctId: Id, set?: Properties, setOnce?: Properties): void
  /** Adds a further id to the current user; `alias` becomes the main one. Refused as `identify` is. */
  alias(alias: Id): void
  /**
   * Sets properties of the current user. Properties that were already sent with the same values are not sent again. Refused with a warning
   * with `personProfiles: 'never'`, and after `shutdown()`.
   *
   * @param set Person properties, replaced by later ones.
   * @param setOnce Person properties that keep their first value.
   */
  setPersonProperties(set?: Properties, setOnce?: Properties): void
  /** Creates a person profile for the current user, also for an anonymous one. Refused as `setPersonProperties` is. */
  createPersonProfile(): void
  /**
   * Adds the user to a group for all later events; `properties` are set on the group. Refused with a warning for a blank type, for a key that
   * `identify` would refuse as an id, with `personProfiles: 'never'`, and after `shutdown()`.
   */
  group(type: string, key: Id, properties?: Properties): void
  /** Sets properties of a group without adding the user to it. Refused as `group` is. */
  groupIdentify(type: string, key: Id, properties?: Properties): void
  /**
   * Starts a new anonymous user and session, without groups, super properties and flags. Consent and waiting events stay.
   *
   * @param options True also creates a new device id.
   */
  reset(options?: boolean | ResetOptions): void
  /** Adds properties to all later events, also on later pages. A null value removes the property. */
  register(properties: Properties): void
  /** Like `register`, but a property that is already registered keeps its value. */
  registerOnce(properties: Properties): void
  /** Removes a registered property. */
  unregister(key: string): void
  /** Adds properties to the later events of this session and page, without storing them. A null value removes the property. */
  registerForSession(properties: Properties): void

  /**
   * Stops capturing and sending events and loading flags, on this and later pages, until `optIn()`.
   *
   * @param options `clear`: also reset the user and the device id. Default false.
   */
  optOut(options?: { clear?: boolean }): void
  /** Starts capturing again, and delivers the events that were waiting when the user opted out. */
  optIn(): void
  /** Whether the user is opted out. */
  isOptedOut(): boolean

  /** The distinct id of events: the anonymous id until `identify`. */
  getDistinctId(): string
  /** The anonymous id; `identify` does not change it. */
  getAnonymousId(): string
  /** The id that the agent has created for the device. `identify` does not change it, and `reset()` only on request. */
  getDeviceId(): string
  /**
   * The current session's id; a new one after `sessionIdleTimeoutSeconds` without activity, and after 24 hours. Reading the id does not
   * extend the session.
   */
  getSessionId(): string
  /** Ends the session; the next event starts a new one. */
  resetSession(): void

  /**
   * Delivers the waiting events; simultaneous calls share one delivery. Never rejects. Resolves when one of these is true:
   *
   * - all events are delivered;
   * - events must not be sent (opted out), or one attempt has failed while the browser says that it is offline;
   * - the remaining events were sent by a beacon in the last 30 s;
   * - `fetchRetryCount` retries have failed;
   * - the next attempt is more than 30 s away (back-off, or the service's `Retry-After`).
   *
   * Remaining events stay stored and are delivered later.
   */
  flush(): Promise<void>
  /**
   * Delivers the waiting events and stops the agent. Later events are dropped, and later calls that change something, except `optOut()`,
   * are refused with a warning.
   *
   * @param timeoutMs Limit of the delivery in milliseconds. Remaining events stay stored. Default 30,000.
   */
  shutdown(timeoutMs?: number): Promise<void>
  /** What waits for delivery, and how the deliveries of this agent went. For diagnostics. The same object until it changes. */
  getStatus(): Status
  /** Switches debug messages on the console on or off. Default: on. */
  debug(isDebug?: boolean): void
}

/** The agent with all of its verbs. */
export interface Waymark extends CaptureWaymark, FlagVerbs, SurveyVerbs {}
