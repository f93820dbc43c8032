import type { Follower, FunnelRules } from './actor-events.ts'
import { createUnorderedFollower } from './follow-in-any-order.ts'
import { createOrderedFollower } from './follow-in-order.ts'
import { createOptionalFollower } from './follow-with-optional-steps.ts'

/**
 * Creates a follower that finds the conversion of an actor that has the most steps which are not optional. Of several, it is the one with
 * the most optional steps; of these, the one that ends first; of these, the one that begins last; of these, the one whose other steps are
 * earliest.
 *
 * An event is one step of a conversion at most.
 */
export const createFollower = (rules: FunnelRules): Follower => {
  if (rules.order === 'unordered') return createUnorderedFollower(rules)
  return (rules.optionalSteps.length === 0 ? createOrderedFollower : createOptionalFollower)(rules)
}
