import type { Periods } from '../time/periods.ts'
import type { Actor, EventSelection } from './subject.ts'

/** Who came, stayed, came back and left in each period. */
export interface LifecycleQuestion {
  readonly events: EventSelection
  readonly actor: Actor
  /** The answer begins with the second one: the first is only compared with it. */
  readonly periods: Periods
}

/**
 * What an actor is in a period. One with events is `new` in the period in which it was created, else `returning` with events in the period
 * before, else `resurrecting`. One without events is `dormant` after a period with events.
 *
 * A person or group was created when the store says so; any other with its first event of all times.
 */
export const LIFECYCLE_STATUSES = ['new', 'returning', 'resurrecting', 'dormant'] as const

export type LifecycleStatus = (typeof LIFECYCLE_STATUSES)[number]

/** The numbers of actors in each period, from the second one. */
export type LifecycleAnswer = Readonly<Record<LifecycleStatus, readonly number[]>>
