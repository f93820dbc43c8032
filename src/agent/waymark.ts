import type { CaptureOptions } from '../capture/capture.ts'
import type { FlagVerbs } from '../flags/flag-verbs.ts'
import type { SurveyVerbs } from '../surveys/survey-verbs.ts'
import type { Options } from './options.ts'

/** What a caller may attach to an event, a person or a group: a plain object, of an interface too. */
export type Properties = object

export interface ResetOptions {
  /** A new device id too. Default false. */
  readonly resetDeviceID?: boolean
  /** Who the next user is, applied after the reset. */
  readonly bootstrap?: Options['bootstrap']
}

/**
 * The agent of one page or app and its one user. No call ever throws, and none of them waits. Where the agent could not start at all (the
 * console says why) every call answers undefined, a promise's place too.
 */
export interface Waymark extends FlagVerbs, SurveyVerbs {
  /** Records that something happened. A name that is empty is refused with a warning. */
  capture(event: string, properties?: Properties, options?: CaptureOptions): void
  /** Records a `$pageview` of the page as it is now; happens by itself unless `capturePageview` is false. */
  pageview(properties?: Properties, options?: CaptureOptions): void
  /** Records a `$screen`; later events of this page and session carry its name as `$screen_name`, until the next screen or `reset()`. */
  screen(name: string, properties?: Properties, options?: CaptureOptions): void

  /**
   * Says who the user is. The events before and after belong to one person. Without an id the call is refused with a warning: who it is
   * meant for cannot be told. `setPersonProperties` describes the current user.
   *
   * @param set Person properties, replaced by later ones.
   * @param setOnce Person properties that keep their first value.
   */
  identify(distinctId: string, set?: Properties, setOnce?: Properties): void
  /** Gives the current user one more id: `alias` becomes the main one. */
  alias(alias: string): void
  /**
   * Describes the current user without a new id; the same properties are not sent twice in a row.
   *
   * @param set Replaced by later ones.
   * @param setOnce Keep their first value.
   */
  setPersonProperties(set?: Properties, setOnce?: Properties): void
  /** Gives the current, still anonymous user a person profile. */
  createPersonProfile(): void
  /** Puts the user into a group, for this and all later events; `properties` describe the group. */
  group(type: string, key: string, properties?: Properties): void
  /** Describes a group without putting the user into it. */
  groupIdentify(type: string, key: string, properties?: Properties): void
  /**
   * Forgets the user: a new anonymous id and session, no groups, super properties or flags. Consent and waiting events stay.
   *
   * @param options True: a new device id too.
   */
  reset(options?: boolean | ResetOptions): void
  /** Attaches properties to all later events, of later pages too. One that is null is taken away. */
  register(properties: Properties): void
  /** The same, but a property that is attached already keeps its value. */
  registerOnce(properties: Properties): void
  /** Ends that for one property. */
  unregister(key: string): void
  /** Attaches properties to the later events of this session and this page; they are never stored. One that is null is taken away. */
  registerForSession(properties: Properties): void

  /**
   * From now on nothing is captured and no event is sent, on this and later pages, until `optIn()`; nor are flags loaded.
   *
   * @param options `clear`: forget the user and the device too. Default false.
   */
  optOut(options?: { clear?: boolean }): void
  /** Captures again; what waited when the user opted out is delivered now. */
  optIn(): void
  isOptedOut(): boolean

  /** The id that events go under: the anonymous one until `identify`. */
  getDistinctId(): string
  /** Stays the same when the user is identified. */
  getAnonymousId(): string
  /** The device's id, made by the agent: stays over `reset()`, unless that is told otherwise, and over `identify`. */
  getDeviceId(): string
  /** The running session's id; a new one after `sessionIdleTimeoutSeconds` without activity, and after 24 hours. To look is no activity. */
  getSessionId(): string
  /** Ends the session: the next event begins another one. */
  resetSession(): void

  /**
   * Delivers what waits; calls at the same time join. Resolves, never rejects, when it is delivered, when nothing may leave (offline, opted
   * out), when only events are left that a beacon has taken along in the last 30 s, when `fetchRetryCount` retries have failed, or when the next try
   * is more than 30 s away (a long back-off, or the service's `Retry-After`). What is left stays stored and is delivered later.
   */
  flush(): Promise<void>
  /**
   * Delivers what waits, within `timeoutMs` (default 30,000); what is left stays stored. From then on events are dropped, and every call that
   * would change something, but `optOut()`, is refused with a warning.
   */
  shutdown(timeoutMs?: number): Promise<void>
  /** Switches the agent's talk on the console at run time. */
  debug(on?: boolean): void
}
