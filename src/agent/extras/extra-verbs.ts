import type { OutgoingEvent } from '../../capture/before-send.ts'
import type { OnDrop } from '../../capture/drop-report.ts'
import type { FlagsListener } from '../../flags/flag-verbs.ts'
import type { FlagKey, FlagPayloadOf, FlagValues } from '../../wire/typed-flags.ts'

/** What `on()` can tell, with its listener. */
export interface Listeners {
  /**
   * An event passed `before_send` and all masks, and will be queued. The listener gets a copy. Events that a listener captures are not told,
   * so that it cannot call itself without end. A page that finds a newer stored identity at its start tells of its first events again, with the
   * same uuid.
   */
  readonly capture: (event: OutgoingEvent) => void
  /** A load of flags has ended, also with an error, or the user is another person. Called at once when flags are known, like a listener of `onFeatureFlags`. */
  readonly flags: FlagsListener
  /** An event will never be delivered. Called like the option `onDrop`. */
  readonly drop: OnDrop
}

/** The user's decision about analytics: `undecided` until the first `optIn()` or `optOut()`, whatever `defaultOptIn` is. */
export type ConsentDecision = 'granted' | 'denied' | 'undecided'

/** The verbs that `withExtras()` adds. None throws. After `shutdown()`, those that change something are refused with a warning. */
export interface ExtraVerbs {
  /**
   * Removes properties of the current user, by a `$set` event with `$unset`, and loads the flags again. Creates a person profile. Refused with
   * `personProfiles: 'never'`, and without a non-empty name.
   */
  unsetPersonProperties(names: string | readonly string[]): void
  /** Returns the user's groups, type to key; empty when there are none. The same object until they change: do not modify it. */
  getGroups(): Readonly<Record<string, string>>
  /** Takes the user out of all groups for later events, and loads the flags again. Does nothing without groups. */
  resetGroups(): void
  /** Removes a property that `registerForSession` has added. */
  unregisterForSession(name: string): void
  /**
   * Calls `listener` now with the session's id, and again with the first event of each later session of this page. Returns an unsubscribe
   * function.
   */
  onSessionId(listener: (sessionId: string) => void): () => void
  /**
   * Calls `listener` whenever this happens, until the returned function is called. An exception of a listener becomes a warning. An unknown
   * topic is refused with a warning.
   */
  on<Topic extends keyof Listeners>(topic: Topic, listener: Listeners[Topic]): () => void
  /**
   * Asks the service for this flag alone, and resolves with its payload, parsed; undefined without one, for a flag that is off for the user,
   * while opted out, and after a failure. Neither stored nor reported, so that a page with `preloadFeatureFlags: false` can read its
   * configuration. Properties that were set for flags are not sent. Never rejects.
   */
  getRemoteConfigPayload<Key extends FlagKey>(key: Key): Promise<FlagPayloadOf<Key>>
  /** Returns what the user has decided about analytics. `isOptedOut()` tells what applies. */
  getConsent(): ConsentDecision
  /**
   * Overrides flag values, and payloads of these flags, on this page until the next call: for tests and demonstrations. Reads of
   * overridden values are not reported. Listeners are told. Events that carry flags carry these values. Undefined or an empty object removes
   * all overrides, and so does `reset()`.
   */
  overrideFeatureFlags(flags?: Readonly<FlagValues>, payloads?: Readonly<Record<string, unknown>>): void
}
