import type { Periods } from '../time/periods.ts'
import type { Actor, EventSelection } from './subject.ts'

/** In how many different periods actors have events. */
export interface StickinessQuestion {
  readonly events: EventSelection
  readonly actor: Actor
  readonly periods: Periods
  /** How many events an actor must have in a period, so that it counts. A period without events never counts. */
  readonly criterion: CountCriterion
}

/** At least, at most, or exactly a number. */
export interface CountCriterion {
  readonly operator: 'gte' | 'lte' | 'exact'
  readonly value: number
}

export interface StickinessAnswer {
  /** The numbers of actors with exactly one period, two periods, and so on up to all periods. */
  readonly actors: readonly number[]
}
