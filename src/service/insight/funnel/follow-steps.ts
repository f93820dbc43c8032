import type { ActorEvents, Chain, FunnelRules, Positions } from './actor-events.ts'
import { followInAnyOrder } from './follow-in-any-order.ts'
import { followInOrder } from './follow-in-order.ts'

/**
 * Finds the conversion of an actor that has the most steps. Of several, it is the one that ends first; of these, the one that begins
 * last; of these, the one whose other steps are earliest.
 *
 * An event is one step of a conversion at most.
 *
 * @param starts The events that may be the first step. Default: all.
 */
export const followSteps = (
  events: ActorEvents,
  rules: FunnelRules,
  starts: Positions = { from: 0, before: events.count },
): Chain => (rules.order === 'unordered' ? followInAnyOrder : followInOrder)(events, rules, starts)
