import { dateOperators } from '../../../evaluate/operators/date.ts'
import { parseRelativeDate } from '../../../evaluate/operators/parse-date.ts'
import type { PropertyCondition } from '../filter/condition.ts'

/**
 * Whether a question, which is plain data, has a condition with a date that counts from now, such as `-7d`. The conditions of cohorts are
 * among those of the question.
 */
export const hasRelativeDate = (question: object): boolean => {
  // Each part once: all conditions on a cohort are one object, which cohorts in cohorts would double with each level.
  const seen = new Set<object>()
  const search = (part: unknown): boolean => {
    if (typeof part !== 'object' || part === null || seen.has(part)) return false
    seen.add(part)
    return isRelative(part) || Object.values(part).some(search)
  }
  return search(question)
}

const isRelative = (part: Partial<PropertyCondition>): boolean =>
  part.kind === 'property' &&
  Object.hasOwn(dateOperators, part.operator!) &&
  typeof part.value === 'string' &&
  parseRelativeDate(part.value) !== undefined
