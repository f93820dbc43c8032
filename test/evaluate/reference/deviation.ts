/**
 * Where posthog-node 5.70 is known to answer otherwise than src/evaluate should. With a deviation the reference does as that
 * client does, so that a known difference can be told from a mistake.
 */
export type Deviation =
  | 'enrolment is not looked at'
  | 'every integer is open'
  | 'String() prints lists and objects'
  | 'anything can be ordered'
  | 'null fails an unknown operator'
  | 'no text with a carriage return is searched'
  | 'a date is what Date reads'
  | 'a date without a zone is local'
  | 'a static cohort counts where it is met'
  | 'a cohort is all cohorts or all conditions'
  | 'the rollout is asked last'

/**
 * The deviations of one reading of the rules. Each is asked for where it would change what follows, and nowhere else: so what
 * was asked for is what can explain a difference.
 */
export type Deviations = Pick<ReadonlySet<Deviation>, 'has'>

export const byTheRules: Deviations = { has: () => false }
