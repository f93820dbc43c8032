import type { CaptureOptions } from '../../capture/capture.ts'
import type { Status } from '../../capture/status.ts'
import type { PersonProfiles } from '../../capture/user-properties.ts'
import type { FlagValue } from '../../wire/decide.ts'
import type { LackingCalls } from './lacking-calls.ts'
import type { JsonType, Properties, Property } from './properties.ts'

export type { JsonType, Properties, Property } from './properties.ts'

/** An option without effect. Functions in it are typed, so that pages compile. */
type Ignored =
  | string
  | number
  | boolean
  | object
  | null
  | undefined
  | IgnoredOptions
  | ((...args: Property[]) => Property)
interface IgnoredOptions {
  [name: string]: Ignored
}

/** An event as `before_send` and `on('eventCaptured')` get it. */
export interface CaptureResult {
  /** A hook cannot change it. */
  readonly uuid: string
  event: string
  properties: Properties
  /** The same object as `properties.$set`. */
  $set?: Properties | undefined
  /** The same object as `properties.$set_once`. */
  $set_once?: Properties | undefined
  /** The same list as `properties.$unset`. */
  $unset?: string[] | undefined
  /** A hook cannot change it. */
  readonly timestamp?: Date | undefined
}

/** Changes an event, or drops it by returning null. */
export type BeforeSendFn = (event: CaptureResult) => CaptureResult | null | undefined

/** Identity, session and flags that the server of a page already knows. */
export interface BootstrapConfig {
  distinctID?: string | null | undefined
  isIdentifiedID?: boolean | null | undefined
  featureFlags?: Readonly<Record<string, FlagValue>> | null | undefined
  featureFlagPayloads?: Readonly<Record<string, unknown>> | null | undefined
  sessionID?: string | null | undefined
}

/** The options of posthog-js that have an effect. Those without one are named in a warning. */
export interface PostHogConfig {
  /** URL of the service. Default: the origin of the page. */
  api_host?: string | undefined
  /** True: the page view of the load. `history_change` or an object: also those of navigations. Default as in posthog-js, by `defaults`. */
  capture_pageview?: boolean | 'history_change' | object | undefined
  /** Capture `$pageleave` when the page is left. Default: if page views are captured. */
  capture_pageleave?: boolean | 'if_capture_pageview' | undefined
  /** A date: posthog-js has other defaults from then on. Here it matters for `capture_pageview` only. */
  defaults?: string | undefined
  /** `cookie` is the same as the default, `localStorage+cookie`. */
  persistence?: 'localStorage+cookie' | 'localStorage' | 'cookie' | 'sessionStorage' | 'memory' | undefined
  /** Store nothing beyond the page but a decision about consent, like the persistence `memory`. */
  disable_persistence?: boolean | undefined
  /** Where posthog-js has stored visitors: `ph_` and this name. Default: the project key and `_posthog`. */
  persistence_name?: string | null | undefined
  /** An older name of `disable_persistence`. */
  disable_cookie?: boolean | undefined
  /** An older name of `persistence_name`. */
  cookie_name?: string | null | undefined
  /** Where posthog-js has stored consent. Default: `__ph_opt_in_out_` and the project key. */
  consent_persistence_name?: string | null | undefined
  /** An older form of `consent_persistence_name`, before the project key. */
  opt_out_capturing_cookie_prefix?: string | null | undefined
  /** Share the identity with all subdomains. Default true. */
  cross_subdomain_cookie?: boolean | undefined
  /** Which users get a person profile. Default `identified_only`. */
  person_profiles?: PersonProfiles | undefined
  /** The visitor is opted out until `opt_in_capturing()`. Default false. */
  opt_out_capturing_by_default?: boolean | undefined
  /** An opt-out also starts a new user and a new device id, so that nothing stored names the visitor. Default false. */
  opt_out_persistence_by_default?: boolean | undefined
  /** Also capture events of bots. Default false. */
  opt_out_useragent_filter?: boolean | undefined
  /** Do nothing where the browser asks for it. Default false. */
  respect_dnt?: boolean | undefined
  /** One function, or several in order. One that throws drops the event. */
  before_send?: BeforeSendFn | readonly BeforeSendFn[] | null | undefined
  /**
   * Returns the properties that an event is sent with, also those to set once: for them, `event` is `$set_once`. Without a result the event
   * is dropped. Runs before `before_send`.
   */
  sanitize_properties?: ((properties: Properties, event: string) => Properties) | null | undefined
  /** Names of properties that no event has. */
  property_denylist?: readonly string[] | undefined
  /** An older name of `property_denylist`. */
  property_blacklist?: readonly string[] | undefined
  bootstrap?: BootstrapConfig | undefined
  /** No flags at all, and no requests for them. */
  advanced_disable_flags?: boolean | undefined
  /** An older name of `advanced_disable_flags`. */
  advanced_disable_decide?: boolean | undefined
  /** The same as `advanced_disable_flags`. */
  advanced_disable_feature_flags?: boolean | undefined
  /** Request no flags when the page loads. */
  advanced_disable_feature_flags_on_first_load?: boolean | undefined
  /** False: send each event at once. */
  request_batching?: boolean | undefined
  request_queue_config?: { readonly flush_interval_ms?: number | undefined } | undefined
  /** A session ends after this many seconds without activity. Default 1,800. */
  session_idle_timeout_seconds?: number | undefined
  disable_compression?: boolean | undefined
  /**
   * `always` stores nothing beyond the page but a decision about consent, `on_reject` waits for an opt-in. Nobody is counted without an id.
   */
  cookieless_mode?: 'always' | 'on_reject' | undefined
  /** True is the default of posthog-js, and has no equal. */
  autocapture?: boolean | object | undefined
  debug?: boolean | undefined
  /** Called in `init()`. An exception becomes a warning. */
  loaded?: ((posthog: PostHog) => void) | null | undefined
  session_recording?: IgnoredOptions | undefined
  [name: string]: Ignored
}

/** Options of one `capture()`. */
export interface CompatCaptureOptions extends CaptureOptions {
  /** Person properties, replaced by later ones. */
  readonly $set?: Properties | undefined
  /** Person properties that keep their first value. */
  readonly $set_once?: Properties | undefined
  /** Names of person properties to remove. */
  readonly $unset?: readonly string[] | undefined
  /** Deliver now, with all waiting events. */
  readonly send_instantly?: boolean | undefined
  /** @deprecated No effect. */
  readonly transport?: 'XHR' | 'fetch' | 'sendBeacon' | undefined
  /** @deprecated No effect. */
  readonly skip_client_rate_limiting?: boolean | undefined
  /** @deprecated No effect. */
  readonly _url?: string | undefined
  /** @deprecated No effect. */
  readonly _batchKey?: string | undefined
  /** @deprecated No effect. */
  readonly _noTruncate?: boolean | undefined
}

/** Options of a flag read. */
export interface FlagOptions {
  /** Report the read as `$feature_flag_called`. Default true. */
  readonly send_event?: boolean | undefined
  /** `send_event` in the spelling of `waymark`, as `waymark/react` writes it. Wins over it. */
  readonly send?: boolean | undefined
  /** @deprecated No effect. */
  readonly fresh?: boolean | undefined
}

/** A flag's value, variant and payload. */
export interface FeatureFlagResult {
  readonly key: string
  readonly enabled: boolean
  readonly variant?: string | undefined
  readonly payload?: JsonType
}

/**
 * The calls of posthog-js. None throws. Before `init()`, and where the agent has no equal, a call does nothing but warn, once for each name;
 * then it returns undefined, also where the type says otherwise. Only `on('eventCaptured')` works before `init()`. Where there is no
 * `document`, as on a server, nothing is captured, sent or stored, and no call warns.
 *
 * A page may load the code twice, by `import` and by `require`. Before its own `init()` a copy answers as the one that was started.
 */
export interface PostHog extends LackingCalls {
  /** Whether `init()` was called. */
  readonly __loaded: boolean
  /** An older form of `setPersonProperties`. */
  readonly people: {
    set(nameOrProperties: string | Properties, value?: unknown, ignored?: unknown): void
    set_once(nameOrProperties: string | Properties, value?: unknown, ignored?: unknown): void
  }

  /**
   * Starts the agent. A second call does nothing but warn. When another copy of the code runs with this key, returns its object, ignores the
   * other options, and calls `loaded`.
   *
   * @param name Starts another agent for a second project, which is also `posthog[name]`. Default: this one.
   */
  init(apiKey: string, config?: PostHogConfig, name?: string): PostHog
  /** Captures an event. Returns nothing. */
  capture(event: string, properties?: Properties | null, options?: CompatCaptureOptions): CaptureResult | undefined
  /** Adds properties to all later events. A null value removes the property. */
  register(properties: Properties, ignoredDays?: number): void
  /** Like `register`, but a property that is already registered keeps its value. */
  register_once(properties: Properties, ignoredDefault?: Property, ignoredDays?: number): void
  /** Removes a registered property. */
  unregister(name: string): void
  /** Adds properties to the later events of this session and page, without storing them. */
  register_for_session(properties: Properties): void
  /** Removes a property that `register_for_session` has added. */
  unregister_for_session(name: string): void
  /** A registered property, or one of `distinct_id`, `$device_id`, `$groups`. */
  get_property(name: string): Property

  /** Identifies the current user: the events before and after belong to one person. A number becomes a string. */
  identify(id: string, set?: Properties, setOnce?: Properties): void
  /** Adds a further id to the current user. */
  alias(alias: string, ignoredOriginal?: string): void
  setPersonProperties(set?: Properties, setOnce?: Properties): void
  /** Creates a person profile for the current user, also for an anonymous one. */
  createPersonProfile(): void
  /** Adds the user to a group for all later events; `properties` are set on the group. */
  group(type: string, key: string, properties?: Properties): void
  getGroups(): Record<string, string>
  /** Takes the user out of all groups. */
  resetGroups(): void
  /** Starts a new anonymous user and session. Consent stays. @param options True also creates a new device id. */
  reset(options?: boolean | { readonly resetDeviceID?: boolean; readonly bootstrap?: BootstrapConfig }): void
  get_distinct_id(): string
  /** The id that the user has had before `identify()`. Not in posthog-js: `waymark/react` reads it. */
  getAnonymousId(): string
  /** Whether the user is identified. */
  _isIdentified(): boolean
  get_session_id(): string

  /**
   * Starts capturing again, and captures `$opt_in`.
   *
   * @param options `captureEventName`: another name for that event; null or false captures none.
   */
  opt_in_capturing(options?: { captureEventName?: string | null | false; captureProperties?: Properties }): void
  /** Stops capturing and sending, on this and later pages. */
  opt_out_capturing(): void
  has_opted_in_capturing(): boolean
  has_opted_out_capturing(): boolean
  is_capturing(): boolean
  /** `denied` also where the agent does nothing, as for bots. */
  get_explicit_consent_status(): 'granted' | 'denied' | 'pending'

  /** A flag's value: true, false or a variant; undefined while unknown. */
  getFeatureFlag(key: string, options?: FlagOptions): boolean | string | undefined
  isFeatureEnabled(key: string, options: FlagOptions & { readonly defaultValue: boolean }): boolean
  isFeatureEnabled(
    key: string,
    options?: FlagOptions & { readonly defaultValue?: boolean | undefined },
  ): boolean | undefined
  /** Not reported. */
  getFeatureFlagPayload(key: string): JsonType
  getFeatureFlagResult(key: string, options?: FlagOptions): FeatureFlagResult | undefined
  /** Calls `listener` after each load of flags, and at once when flags are known, also stored ones. Returns an unsubscribe function. */
  onFeatureFlags(
    listener: (
      flags: string[],
      variants: Record<string, boolean | string>,
      context?: { readonly errorsLoading?: boolean },
    ) => void,
  ): () => void
  reloadFeatureFlags(): void
  setPersonPropertiesForFlags(properties: Properties, reload?: boolean): void
  resetPersonPropertiesForFlags(reload?: boolean): void
  setGroupPropertiesForFlags(properties: Record<string, Properties>, reload?: boolean): void
  resetGroupPropertiesForFlags(type?: string): void

  /** Calls `listener` for each captured event. Other topics have no equal. Returns an unsubscribe function. */
  on(topic: 'eventCaptured', listener: (event: CaptureResult) => void): () => void
  /** @deprecated The listener is never called. */
  on(topic: 'featureFlagsReloading', listener: (...args: Property[]) => void): () => void
  /** Switches debug messages on the console on or off. Default: on. */
  debug(isDebug?: boolean): void
  /** Delivers the waiting events and stops the agent. @param timeoutMs Default 30,000. */
  shutdown(timeoutMs?: number): Promise<void>
  /** Not in posthog-js: what waits for delivery, and in `stopReason` why nothing is captured, as in an automated browser. */
  getStatus(): Status
}
