/**
 * One thing that the agent has done, as debug mode prints it: its topic and the details. The sentences are in a chunk that only debug mode
 * loads, so an entry is only data.
 */
export type DebugEntry =
  /** An event was queued. */
  | readonly [topic: 'captured', json: string]
  /** An event will never be delivered. */
  | readonly [topic: 'dropped', event: string, uuid: string, reason: string]
  /** A warning that was already printed once. */
  | readonly [topic: 'repeated', message: string, subject: unknown]
  /** A request has ended, or the platform has accepted a beacon. `status`: 0 without a response, undefined for a beacon. */
  | readonly [topic: 'request', url: string, status: number | undefined, startMs: number, about?: RequestAbout]
  /** Events were not delivered. `nextAttemptMs`: when the next attempt is due, in ms since 1970. */
  | readonly [topic: 'retry', error: string, nextAttemptMs: number, failures: number]
  /** A load of flags has ended. */
  | readonly [topic: 'flags', values: Readonly<Record<string, unknown>>, hasErrors: boolean]
  /** The flag definitions of a server were loaded, or not. */
  | readonly [topic: 'definitions', message: string]
  /** The user, the session or the consent may have changed. */
  | readonly [topic: 'state', state: object]
  /** Whether this tab delivers the events of all tabs now. */
  | readonly [topic: 'delivering', isDelivering: boolean]

/** The body of a request with events. Other bodies are plain JSON. */
export interface RequestAbout {
  /** Number of events. */
  readonly events: number
  readonly encoding: string
  /** Characters of JSON before compression. */
  readonly bytesBefore: number
  readonly bytesAfter: number
}
