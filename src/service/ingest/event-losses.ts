import type { EventCuts } from '../../wire/check-event.ts'

/** Why an event is not stored. */
export const DROP_REASONS = ['no_event_name', 'no_distinct_id', 'malformed', 'id_too_long', 'too_large'] as const
export type DropReason = (typeof DROP_REASONS)[number]

/** Numbers of events that are not stored. */
export type DropCounts = Readonly<Record<DropReason, number>>

/** What is not stored of the events of requests. */
export interface LossCounts {
  readonly dropped: DropCounts
  /** What the bounds took from events that are stored. */
  readonly cut: EventCuts
}

/** The same of one request. */
export interface EventLosses extends LossCounts {
  /** What is wrong with the first of these events. It names fields and lengths, never values. */
  readonly detail: string
}

export const NO_LOSSES: LossCounts = {
  dropped: { no_event_name: 0, no_distinct_id: 0, malformed: 0, id_too_long: 0, too_large: 0 },
  cut: { eventNames: 0, properties: 0, groups: 0 },
}

export const addCounts = (first: LossCounts, second: LossCounts): LossCounts => ({
  dropped: sum(first.dropped, second.dropped),
  cut: sum(first.cut, second.cut),
})

/** The losses of two parts of a request. */
export const mergeLosses = (first: EventLosses | null, second: EventLosses | null): EventLosses | null =>
  first === null || second === null ? (first ?? second) : { ...addCounts(first, second), detail: first.detail }

/** Number of events that are not stored. */
export const countDropped = ({ dropped }: LossCounts): number =>
  DROP_REASONS.reduce((count, reason) => count + dropped[reason], 0)

const sum = <Name extends string>(
  first: Readonly<Record<Name, number>>,
  second: Readonly<Record<Name, number>>,
): Record<Name, number> => {
  const total: Record<Name, number> = { ...first }
  for (const name in second) total[name] += second[name]
  return total
}
