import { FilterError } from '../filter/filter-error.ts'
import { boundsAround, nameBins, parseBinName } from '../question/number-bins.ts'
import type { PropertyReference } from '../question/subject.ts'
import type { Breakdown, GroupValues } from '../question/trend.ts'
import type { QueryBreakdown } from './breakdown.ts'

type DividedBreakdown = Extract<QueryBreakdown, { readonly kind: 'properties' }>

/** A group of a breakdown whose bins may be other ones than those that were chosen now. */
interface SelectedGroup {
  readonly breakdown: Breakdown
  readonly values: GroupValues
}

/** A bin beside the two around it, and numbers that are missing. */
const GROUPS_PER_BIN = 4

/**
 * Selects a group that an earlier answer had. Its bins have the bounds of that answer, which are others now if an event with a greater or a
 * smaller number has arrived.
 *
 * @param breakdown With bins that were chosen now.
 * @param path Path of the values, for errors.
 * @throws FilterError
 */
export const selectBins = (
  { breakdown, binCounts }: DividedBreakdown,
  values: GroupValues,
  path: string,
): SelectedGroup => {
  const bins = breakdown.properties.map((property, place) =>
    selectBin(property, values[place] ?? null, binCounts[place] ?? null, path),
  )
  const earlierCount = bins.filter(({ isEarlier }) => isEarlier).length
  return {
    breakdown: {
      properties: bins.map(({ property }) => property),
      // Each group of the answer is now several ones, and the selected one must be among them.
      limit: breakdown.limit * GROUPS_PER_BIN ** earlierCount,
    },
    values: bins.map(({ value }) => value),
  }
}

interface SelectedBin {
  readonly property: PropertyReference
  readonly value: string | null
  /** Whether its bounds are not among those that were chosen now. */
  readonly isEarlier: boolean
}

const selectBin = (
  property: PropertyReference,
  value: string | null,
  count: number | null,
  path: string,
): SelectedBin => {
  if (property.rule?.kind !== 'bin' || count === null || value === null) return { property, value, isEarlier: false }
  const { bounds } = property.rule
  if (nameBins(bounds).includes(value)) return { property, value, isEarlier: false }
  const earlier = parseBinName(value)
  if (earlier === null)
    throw new FilterError(path, 'must have a bin as it is in the answer of the insight, such as "[0,10]"')
  const around = boundsAround(...earlier, isLastBin(earlier, count, bounds))
  return {
    property: { ...property, rule: { kind: 'bin', bounds: around } },
    value: nameBins(around)[1]!,
    isEarlier: true,
  }
}

/**
 * Whether a bin was the last one, in which its end is. It was if its end is the greatest number now, or if the bins from the least number now
 * end with it. If the least and the greatest number both have changed, this cannot be known, and the end is left out.
 */
const isLastBin = ([from, to]: readonly [number, number], count: number, bounds: readonly number[]): boolean => {
  const width = to - from
  const distance = to - (bounds[0] ?? to)
  return width === 0 || to === bounds.at(-1) || Math.abs(distance - width * count) < width / 10
}
