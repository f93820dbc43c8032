import type { DefinitionRef, LiveDefinitions } from './check-references.ts'
import { listRefs } from './check-references.ts'
import { createComparisonCounter } from './count-comparisons.ts'
import { DefinitionError } from './definition-error.ts'

/**
 * Maximum comparisons of one flag or cohort, with those of the cohorts it names. A flag request of a visitor evaluates all flags of a project,
 * and other requests wait meanwhile: this many comparisons of short values take at most 3 ms. Real flags have less than a hundred. A list of
 * thousands of e-mail addresses in one `exact` is one comparison.
 */
export const MAX_COMPARISONS = 20_000

/**
 * Maximum comparisons of all flags of a project, off or on, so that a flag can always be turned on. With short values they take 40 % of the work
 * of one request (`MAX_WORK`), so that only long values can leave flags without a result. It is enough for 5,000 flags of 20 conditions.
 */
export const MAX_PROJECT_COMPARISONS = 100_000

const ADVICE = 'Compare with a list by "exact", which is one comparison, or'

/**
 * Checks what the evaluation of definitions may cost. It counts work and not time. Stored definitions above a limit stay usable, and changes that
 * do not grow them are taken.
 *
 * @param refs The changed definitions and those that depend on them: only these can have grown.
 * @param fail Called with the definition that has grown too much, or with one of the changed ones if all flags together have. Throws.
 */
export const checkComparisons = (
  before: LiveDefinitions,
  after: LiveDefinitions,
  refs: readonly DefinitionRef[],
  fail: (ref: DefinitionRef, error: DefinitionError) => never,
): void => {
  const count = createComparisonCounter(after)
  const countBefore = createComparisonCounter(before)
  for (const ref of refs) {
    const comparisons = count(ref)
    if (comparisons > MAX_COMPARISONS && comparisons > countBefore(ref))
      fail(
        ref,
        new DefinitionError(
          'filters',
          `may need ${comparisons} comparisons to evaluate; the maximum is ${MAX_COMPARISONS}. ${ADVICE} use fewer conditions and cohorts`,
        ),
      )
  }
  const total = sumFlags(after, count)
  if (total > MAX_PROJECT_COMPARISONS && total > sumFlags(before, countBefore)) {
    const grown = refs.find((ref) => ref.kind === 'flag' && count(ref) > countBefore(ref)) ?? refs[0]!
    fail(
      grown,
      new DefinitionError(
        'filters',
        `would bring all flags of the project to ${total} comparisons; the maximum is ${MAX_PROJECT_COMPARISONS}. ${ADVICE} delete flags that are no longer used`,
      ),
    )
  }
}

const sumFlags = (definitions: LiveDefinitions, count: (ref: DefinitionRef) => number): number =>
  listRefs(definitions).reduce((sum, ref) => (ref.kind === 'flag' ? sum + count(ref) : sum), 0)
