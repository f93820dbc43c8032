/**
 * One thing that the agent has done, as debug mode prints it: its topic and the details. The sentences are in a chunk that only debug mode
 * loads, so an entry is only data.
 */
export type DebugEntry =
  /** An option was passed to `init`. */
  | readonly [topic: 'option', name: string]
  /** An event was queued. */
  | readonly [topic: 'captured', json: string]
  /** An event will never be delivered. */
  | readonly [topic: 'dropped', event: string, uuid: string, reason: string]
  /** A warning that was already printed once. */
  | readonly [topic: 'repeated', message: string, subject: unknown]
  /** A request has ended. `status`: 0 without a response. For one with events, `sent` follows. */
  | readonly [topic: 'request', url: string, status: number, startMs: number]
  /** A request with events has ended, or the platform has accepted a beacon. */
  | readonly [topic: 'sent', report: SentEvents]
  /** Events were not delivered. `nextAttemptMs`: when the next attempt is due, in ms since 1970. */
  | readonly [topic: 'retry', error: string, nextAttemptMs: number]
  /** Code that the agent loads when the page rests has not come. It is tried again. */
  | readonly [topic: 'part_failed', part: string, error: unknown]
  /** A load of flags has ended. */
  | readonly [topic: 'flags', values: Readonly<Record<string, unknown>>, result: { readonly errorsLoading: boolean }]
  /** Other flag definitions are in use on a server. */
  | readonly [topic: 'definitions_in_use', flags: readonly { readonly key: string }[]]
  /** The flag definitions of a server were loaded, or not. */
  | readonly [topic: 'definitions', message: string]
  /** The user, the session or the consent may have changed: the state as JSON. */
  | readonly [topic: 'state', json: string]
  /** Another tab delivers the events of all tabs now. */
  | readonly [topic: 'busy']
  /** `init` has created an agent that captures nothing. */
  | readonly [topic: 'stopped', reason: string]

/** A request with events, or a beacon. */
export interface SentEvents {
  readonly url: string
  /** Number of events. */
  readonly events: number
  /** 0 without a response, undefined for a beacon. */
  readonly status: number | undefined
  readonly encoding: string
  /** Bytes of JSON in UTF-8 before compression. */
  readonly bytesBefore: number
  readonly bytesAfter: number
}
