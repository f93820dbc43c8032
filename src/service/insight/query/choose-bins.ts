import type { NumberRangeQuestion } from '../question/number-range.ts'
import { divideRange } from '../question/number-bins.ts'
import type { Ask } from '../question/questions.ts'
import type { PropertyReference } from '../question/subject.ts'
import type { QueryBreakdown } from './breakdown.ts'

/**
 * Chooses the bounds of the bins that a breakdown asks for, from the least number to the greatest of all events that it divides.
 *
 * @param selections These events.
 */
export const chooseBins = async (
  breakdown: QueryBreakdown,
  selections: NumberRangeQuestion['selections'],
  ask: Ask,
): Promise<QueryBreakdown> => {
  if (breakdown.kind !== 'properties') return breakdown
  const properties: PropertyReference[] = []
  for (const [place, property] of breakdown.breakdown.properties.entries()) {
    const count = breakdown.binCounts[place] ?? null
    if (count === null) properties.push(property)
    else {
      const range = await ask('numberRange', { selections, property })
      properties.push({ ...property, rule: { kind: 'bin', bounds: range === null ? [] : divideRange(range, count) } })
    }
  }
  return { ...breakdown, breakdown: { ...breakdown.breakdown, properties } }
}
