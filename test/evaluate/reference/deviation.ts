/**
 * Known differences between posthog-node 5.70 and `src/evaluate`. With a deviation the reference behaves like that client.
 * This separates known differences from mistakes.
 */
export type Deviation =
  | 'enrolment is ignored'
  | 'every integer is inconclusive'
  | 'String() prints lists and objects'
  | 'anything can be ordered'
  | 'null fails an unknown operator'
  | 'a string with a carriage return is not searched'
  | 'a date is what Date accepts'
  | 'a date without a zone is local'
  | 'a static cohort counts in written order'
  | 'a cohort is all cohorts or all conditions'
  | 'an empty cohort in a cohort is a condition'
  | 'filters.bucketing_identifier is ignored'
  | 'a dependency needs its chain'
  | 'the rollout is checked last'

/**
 * The active deviations. The reference calls `has` only where a deviation would change the result, so the calls show which
 * deviations can explain a difference.
 */
export type Deviations = Pick<ReadonlySet<Deviation>, 'has'>

export const NO_DEVIATIONS: Deviations = { has: () => false }
