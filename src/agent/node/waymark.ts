import type { Status } from '../../capture/status.ts'
import type { FlagReader } from '../../flags/node/flag-reader.ts'
import type { EvaluatedFlags } from '../../flags/node/evaluated-flags.ts'
import type { RequestContext } from '../../port/request-context.ts'
import type { Id } from '../../wire/id-to-string.ts'
import type { GroupKeys } from '../../wire/to-group-keys.ts'
import type { EventKey, IfOptional, PropertiesOf } from '../../wire/typed-events.ts'

/** Properties of an event, a person or a group. The type is `object`, because values of interface types are not assignable to `Record`. */
export type Properties = object

/** One event of one user. */
export type CaptureInput<Name extends EventKey = EventKey> = CaptureFields & {
  /** The event's name. An empty name is refused with a warning. */
  readonly event: Name
} & CaptureProperties<Name>

/** A mapped type, so that the agents of two entries stay assignable to each other. */
type CaptureProperties<Name extends EventKey> = keyof WaymarkEvents extends never
  ? { readonly properties?: Properties | undefined }
  : {
      [Each in EventKey]: IfOptional<
        Each,
        { readonly properties?: PropertiesOf<Each> | undefined },
        { readonly properties: PropertiesOf<Each> }
      >
    }[Name]

interface CaptureFields {
  /** A number becomes its decimal string. Default: the request context's. Without either, the event gets a random id and creates no person profile. */
  readonly distinctId?: Id | undefined
  /** Group type to group key. A missing key leaves the group out. */
  readonly groups?: GroupKeys | undefined
  /**
   * When the event happened: a Date, or an ISO 8601 string with an offset, from the years 0001 to 9999. Sent in UTC. Default, also for any
   * other value: now.
   */
  readonly timestamp?: Date | string | undefined
  /** The event's unique id: the service stores events with the same one only once. Default: a new version 7 uuid. */
  readonly uuid?: string | undefined
  /** Ask the service not to derive `$geoip_*` properties. Default: the agent's `disableGeoip`. */
  readonly disableGeoip?: boolean | undefined
  /** A snapshot of `evaluateFlags`, added as `$feature/<key>` and `$active_feature_flags`. Sends no request. */
  readonly flags?: EvaluatedFlags | undefined
}

export interface IdentifyInput {
  readonly distinctId?: Id | undefined
  /** Person properties that overwrite stored values; or the protocol's form `{ $set, $set_once }`. */
  readonly properties?: Properties | undefined
  /** Person properties that are set only if they have no value yet. */
  readonly setOnce?: Properties | undefined
  readonly disableGeoip?: boolean | undefined
}

export interface AliasInput {
  /** The id whose person is merged into that of `alias`. Default: the request context's. */
  readonly distinctId?: Id | undefined
  /** The id whose person remains. */
  readonly alias: Id
  readonly disableGeoip?: boolean | undefined
}

export interface GroupIdentifyInput {
  readonly groupType: string
  readonly groupKey: Id
  readonly properties?: Properties | undefined
  /** The distinct id of the event. Default: the request context's, or one built from group type and key. */
  readonly distinctId?: Id | undefined
  readonly disableGeoip?: boolean | undefined
}

/** The agent of a process with many users. No method throws or rejects. Only methods that return a promise wait for the network. */
export interface Waymark extends FlagReader {
  /** Captures an event. */
  capture<Name extends EventKey>(event: CaptureInput<Name>): void
  /**
   * Captures an event and sends it at once, in its own request. Resolves when it is delivered or dropped. If the request fails, the event
   * is queued, and the promise resolves. While the request is in flight, the event is only in memory, even with a `persistenceDir`.
   */
  captureImmediate<Name extends EventKey>(event: CaptureInput<Name>): Promise<void>
  /** Sets person properties of a user and creates a person profile. */
  identify(input: IdentifyInput): void
  /**
   * Sets person properties of a user by a `$set` event, and creates a person profile. Unlike `identify`, it does not count as a login. Without
   * properties it only creates the profile. Refused with a warning for a missing or invalid distinct id.
   */
  setPersonProperties(input: IdentifyInput): void
  /** Merges two distinct ids into one person. */
  alias(input: AliasInput): void
  /** Sets properties of a group. */
  groupIdentify(input: GroupIdentifyInput): void
  /** Adds properties to all later events of this agent; the request context's override them. A value of null removes a property. */
  register(properties: Properties): void
  /** Removes a registered property. */
  unregister(key: string): void
  /** Stops capturing and sending until `optIn()`. Not persisted. */
  optOut(): void
  optIn(): void
  isOptedOut(): boolean
  /**
   * Runs `task` with a request context, which applies to all captures and reads in it, including those after an `await`. The context is
   * merged over an outer one; with `fresh` it replaces it.
   */
  withContext<T>(context: RequestContext, task: () => T, options?: { readonly fresh?: boolean }): T
  /** Returns the current request context. */
  getContext(): RequestContext | undefined
  /**
   * Delivers all queued events; concurrent calls share one flush. Resolves when the queue is empty, when opted out, after `fetchRetryCount`
   * failed retries, or when the next attempt is more than 30 s away. The remaining events stay queued. Keeps the process alive until then.
   */
  flush(): Promise<void>
  /**
   * Delivers queued events within `timeoutMs` (default 30,000) and ends all work. The remaining events stay on disk with a
   * `persistenceDir`; otherwise they are reported as dropped. Later captures are refused.
   */
  shutdown(timeoutMs?: number): Promise<void>
  /** What waits for delivery, and how the deliveries of this agent went. For diagnostics. The same object until it changes. */
  getStatus(): Status
  /** Turns logging to the console on or off. */
  debug(on?: boolean): void
}
