import type { FlagReader } from '../../flags/node/flag-verbs.ts'
import type { EvaluatedFlags } from '../../flags/node/evaluated-flags.ts'
import type { RequestContext } from '../../port/request-context.ts'

/** What a caller may attach to an event, a person or a group: a plain object, of an interface too. */
export type Properties = object

/** One event of one user. */
export interface CaptureInput {
  /** Empty, or no text: refused with a warning. */
  readonly event: string
  /** Default: the request context's; without one a random id, and the event makes no person profile. */
  readonly distinctId?: string | undefined
  readonly properties?: Properties | undefined
  /** Group type to group key. */
  readonly groups?: Readonly<Record<string, string | number>> | undefined
  /** When it happened: a date, or a text with an offset (sent as the same instant in UTC). Default: now. */
  readonly timestamp?: Date | string | undefined
  /** The event's own id: an event with the same one is stored once. Default: a new one. */
  readonly uuid?: string | undefined
  /** Ask the service not to derive `$geoip_*` properties. Default: as the agent's `disableGeoip`. */
  readonly disableGeoip?: boolean | undefined
  /** Flags evaluated before: go along as `$feature/<key>` and `$active_feature_flags`. No request is made for them. */
  readonly flags?: EvaluatedFlags | undefined
}

export interface IdentifyInput {
  readonly distinctId?: string | undefined
  /** Person properties, replaced by later ones; or the protocol's own `{ $set, $set_once }`. */
  readonly properties?: Properties | undefined
  /** Person properties that keep their first value. */
  readonly setOnce?: Properties | undefined
  readonly disableGeoip?: boolean | undefined
}

export interface AliasInput {
  /** The id that is merged away. Default: the request context's. */
  readonly distinctId?: string | undefined
  /** The id that becomes the main one. */
  readonly alias: string
  readonly disableGeoip?: boolean | undefined
}

export interface GroupIdentifyInput {
  readonly groupType: string
  readonly groupKey: string | number
  readonly properties?: Properties | undefined
  /** Whose event it is. Default: the request context's, else one made of type and key. */
  readonly distinctId?: string | undefined
  readonly disableGeoip?: boolean | undefined
}

/**
 * The agent of a server and its many users. No call throws, and none but the promises waits for the network; a promise never rejects.
 */
export interface Waymark extends FlagReader {
  /** Records that something happened. */
  capture(event: CaptureInput): void
  /**
   * The same, sent by itself at once; resolves when the service has it, or when the event was dropped. One that cannot be sent now joins those
   * that wait, and is delivered with them. While its request runs only memory holds it, also with a `persistenceDir`.
   */
  captureImmediate(event: CaptureInput): Promise<void>
  /** Describes a user, who has a person profile from then on. */
  identify(input: IdentifyInput): void
  /** Gives a user one more id. */
  alias(input: AliasInput): void
  /** Describes a group. */
  groupIdentify(input: GroupIdentifyInput): void
  /** Attaches properties to all later events of this process, weaker than the request context's. One that is null is taken away. */
  register(properties: Properties): void
  /** Ends that for one property. */
  unregister(key: string): void
  /** From now on nothing is captured or sent in this process, until `optIn()`. Kept in memory alone. */
  optOut(): void
  optIn(): void
  isOptedOut(): boolean
  /**
   * Runs `task` with a context: what it captures and reads, and all that it awaits does, belongs to that user. It is laid over an outer one; `fresh`:
   * instead of it.
   */
  withContext<T>(context: RequestContext, task: () => T, options?: { readonly fresh?: boolean }): T
  /** The running request's context. */
  getContext(): RequestContext | undefined
  /**
   * Delivers what waits; calls at the same time join. Resolves when it is delivered, when nothing may leave (opted out), when
   * `fetchRetryCount` retries have failed, or when the next try is more than 30 s away. What is left is kept and delivered later.
   * Keeps the process alive meanwhile.
   */
  flush(): Promise<void>
  /**
   * Delivers what waits, within `timeoutMs` (default 30,000), and ends all work. What is left stays on disk where there is a `persistenceDir`, else
   * it is reported as dropped. From then on every capture is refused.
   */
  shutdown(timeoutMs?: number): Promise<void>
  /** Switches the agent's talk on the console at run time. */
  debug(on?: boolean): void
}
