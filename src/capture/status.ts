import type { DeliveryStatus } from './response-handler.ts'

/**
 * Why an agent captures nothing: the option `disabled`; the visitor's Do Not Track with `respectDnt`; a bot or an automated browser with
 * `captureBots: false`; the agent of a page is not in a page; `init` got no key or host; `init` failed.
 */
export type StopReason = 'disabled' | 'do_not_track' | 'bot' | 'no_page' | 'no_key_or_host' | 'init_failed'

/** What `getStatus()` answers. */
export interface Status extends DeliveryStatus {
  /** Why the agent captures nothing since `init`. Missing: it works. */
  readonly stopReason?: StopReason
  /** Number of events that wait for delivery: in a page those of all its tabs, in a process its own. */
  readonly waitingEvents: number
}
