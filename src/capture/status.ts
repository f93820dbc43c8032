import type { DeliveryStatus } from './response-handler.ts'

/** What `getStatus()` answers. */
export interface Status extends DeliveryStatus {
  /** Number of events that wait for delivery: in a page those of all its tabs, in a process its own. */
  readonly waitingEvents: number
}
