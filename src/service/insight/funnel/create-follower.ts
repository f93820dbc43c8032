import type { Follower, FunnelRules } from './actor-events.ts'
import { createUnorderedFollower } from './follow-in-any-order.ts'
import { createOrderedFollower } from './follow-in-order.ts'

/**
 * Creates a follower that finds the conversion of an actor that has the most steps. Of several, it is the one that ends first; of
 * these, the one that begins last; of these, the one whose other steps are earliest.
 *
 * An event is one step of a conversion at most.
 */
export const createFollower = (rules: FunnelRules): Follower =>
  (rules.order === 'unordered' ? createUnorderedFollower : createOrderedFollower)(rules)
