import type { Condition } from '../filter/condition.ts'
import type { Periods, TimeRange } from '../time/periods.ts'
import type { Actor, EventSelection } from './subject.ts'
import type { Breakdown, GroupValues } from './trend.ts'

/** How far actors come through a series of steps. */
export interface FunnelQuestion {
  /** The events that steps and exclusions are among. */
  readonly events: EventSelection
  readonly actor: Actor
  /** All steps are in it. */
  readonly range: TimeRange
  /** One to twelve. */
  readonly steps: readonly Condition[]
  /** Indices of steps that may be left out, in their order; never the first step, and none in an unordered funnel. */
  readonly optionalSteps: readonly number[]
  /** Steps that only the first event of an actor can be, of all times. */
  readonly firstSteps: readonly FirstStep[]
  readonly order: FunnelOrder
  /** Most milliseconds between the first and the last step of a conversion. */
  readonly windowMs: number
  readonly exclusions: readonly FunnelExclusion[]
  /** Null for one group of all actors. */
  readonly breakdown: FunnelBreakdown | null
  readonly view: FunnelView
}

/** A step that must be the first event of the actor, of all times, among the events that match a condition. */
export interface FirstStep {
  /** Its index. */
  readonly step: number
  readonly among: Condition
}

/**
 * - `ordered`: one step after the other, with any events between them.
 * - `strict`: one right after the other among all selected events of the actor.
 * - `unordered`: in any order; the first step done is the first step.
 */
export const FUNNEL_ORDERS = ['ordered', 'strict', 'unordered'] as const

export type FunnelOrder = (typeof FUNNEL_ORDERS)[number]

/** Steps of a funnel by their index. */
export interface StepRange {
  readonly fromStep: number
  /** After `fromStep`. */
  readonly toStep: number
}

/**
 * Events that must not be between two steps; in an unordered funnel, between the first step and the last. Where one of the two steps is
 * left out, the step done after it stands for it.
 */
export interface FunnelExclusion extends StepRange {
  readonly condition: Condition
}

/**
 * Groups with numbers of their own are those that most actors who did the first step may be in, whether or not their conversion then
 * counts. In an unordered funnel each step may be the first one. For the attribution to a step, an actor may be in the groups of all its
 * events of this step.
 */
export interface FunnelBreakdown extends Breakdown {
  readonly attribution: Attribution
}

/** Which event of an actor has the values of its group. */
export type Attribution =
  /** The first or last event that matches a step and has one of the properties. */
  | { readonly of: 'first_touch' | 'last_touch' }
  /** Each value has a funnel of its own, of the events with this value. */
  | { readonly of: 'all_events' }
  /** The event of this step; actors who did not do it do not count. */
  | { readonly of: 'step'; readonly step: number }

/** What is told about those who came through the funnel. */
export type FunnelView =
  /** How many did each step, and how long they took. */
  | { readonly kind: 'steps' }
  /** How the times between two steps are distributed. `binCount`: null for the cube root of the number of times. */
  | ({ readonly kind: 'times'; readonly binCount: number | null } & StepRange)
  /** How many of those who began in a period, and did `fromStep`, did `toStep`. */
  | ({ readonly kind: 'rates'; readonly periods: Pick<Periods, 'starts'> } & StepRange)

/** The actors whose conversion has one step, or does not have another one. In an unordered funnel its first step is step 0. */
export interface FunnelPoint {
  readonly kind: 'funnel'
  readonly question: FunnelQuestion
  /** The index of the step that they did. */
  readonly doneStep: number
  /** The index of a later step that they did not do; null for none. */
  readonly missedStep: number | null
  /** A group of the breakdown; null for all of them. */
  readonly group: GroupValues | 'others' | null
}

export interface FunnelAnswer {
  /**
   * Those with the most actors at the first step first (for rates: with the most in all periods together), then those that most actors
   * may be in, then by value; the group of the others is the last one. A group without a conversion that counts is left out.
   */
  readonly groups: readonly FunnelGroup[]
}

export interface FunnelGroup {
  /** Empty without a breakdown; `others` for all values beyond the limit. */
  readonly values: GroupValues | 'others'
  readonly numbers: FunnelNumbers
}

/** The numbers of a view. */
export type FunnelNumbers =
  | { readonly kind: 'steps'; readonly steps: readonly StepNumbers[] }
  | {
      readonly kind: 'times'
      /** Null if no one converted. */
      readonly averageSeconds: number | null
      /** The least seconds of each bin, and its number of actors; all bins are equally wide. */
      readonly bins: readonly (readonly [number, number])[]
    }
  /** A percentage for each period; 0 if no one began in it. */
  | { readonly kind: 'rates'; readonly rates: readonly number[] }

export interface StepNumbers {
  /** Actors who did this step and all before it that are not optional. */
  readonly count: number
  /** From the step that they did before; null for the first step, or if no one did this one. */
  readonly averageSeconds: number | null
  readonly medianSeconds: number | null
}
