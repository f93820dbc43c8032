import type { FunnelExclusion, FunnelOrder, StepRange } from '../question/funnel.ts'

/**
 * The events of one actor in a funnel, in the order of their times. Events of the same millisecond are in the order of the first step
 * that each of them matches, then of their masks: what is the earlier step of a funnel is taken as what was earlier. An event that
 * matches nothing is before them, one that matches only exclusions is after them.
 */
export interface ActorEvents {
  /** The arrays may be longer. */
  readonly count: number
  /** Milliseconds since 1970. */
  readonly times: Readonly<Float64Array>
  /** The bits of an event say which steps and, after these, which exclusions it matches. */
  readonly masks: Readonly<Int32Array>
}

/** The rules of a funnel without its conditions. */
export interface FunnelRules {
  /** The number of steps. */
  readonly stepCount: number
  /** `FunnelQuestion` */
  readonly optionalSteps: readonly number[]
  readonly order: FunnelOrder
  readonly windowMs: number
  readonly exclusions: readonly StepRange[]
}

/** A range of events by their positions; `before` is exclusive. */
export interface Positions {
  readonly from: number
  readonly before: number
}

/**
 * The positions of the events that are the steps of a conversion, as far as it came; empty if it did not begin. An optional step that was
 * left out is `SKIPPED`.
 */
export type Chain = readonly number[]

/** The position of a step that was left out; less than all positions. */
export const SKIPPED = -1

/** Whether a step of a conversion was done. */
export const hasStep = (chain: Chain, step: number): boolean => (chain[step] ?? SKIPPED) !== SKIPPED

/** Finds a conversion of one actor after the other, in pieces of work. */
export interface Follower {
  /** @param starts The events that may be the first step. */
  begin(events: ActorEvents, starts: Positions): void
  /** Follows a few thousand events; returns whether there are more. */
  advance(): boolean
  /** The conversion, after all work. */
  chain(): Chain
}

/** The time after which no conversion of these starts has a step. */
export const lastTimeOf = ({ times }: ActorEvents, { from, before }: Positions, windowMs: number): number =>
  from < before ? times[before - 1]! + windowMs : -Infinity

export const toRules = (question: {
  readonly steps: readonly unknown[]
  readonly optionalSteps: readonly number[]
  readonly order: FunnelOrder
  readonly windowMs: number
  readonly exclusions: readonly FunnelExclusion[]
}): FunnelRules => ({
  stepCount: question.steps.length,
  optionalSteps: question.optionalSteps,
  order: question.order,
  windowMs: question.windowMs,
  exclusions: question.exclusions,
})
