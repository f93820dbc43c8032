import type { Question } from './question.ts'

/**
 * Whether a question is about persons alone, such as `average age`: only properties of persons, and no event, period or interval. Each
 * person then counts once; otherwise, once for each event.
 */
export const isOfPersons = ({ measure, event, period, interval, filters, breakdown }: Question): boolean => {
  if (!('property' in measure) || event !== null || period !== null || interval !== null) return false
  const properties = [
    measure.property,
    ...filters.map(({ property }) => property),
    ...(breakdown === null ? [] : [breakdown]),
  ]
  return properties.every(({ owner }) => owner === 'person')
}
