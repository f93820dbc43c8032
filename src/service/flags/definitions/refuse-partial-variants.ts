import { isDeepStrictEqual } from 'node:util'
import type { NewFlag } from '../../store/metadata/flags.ts'
import { DefinitionError } from './definition-error.ts'

/** Tolerance for the rounding error in sums such as 33.3 + 33.3 + 33.4. */
const PERCENT_TOLERANCE = 1e-6

const listShares = (flag: Pick<NewFlag, 'filters'> | undefined): readonly (readonly [key: string, share: number])[] =>
  (flag?.filters.multivariate?.variants ?? []).map(({ key, rollout_percentage: share }) => [key, share])

/**
 * Describes variants that leave out some persons: these get the flag without a variant. Undefined for others, and for a flag without variants.
 *
 * @param flag Checked by `parseFlag`, so its variants do not exceed 100 %.
 */
export const describePartialVariants = (flag: Pick<NewFlag, 'filters'>): string | undefined => {
  const shares = listShares(flag)
  const sum = shares.reduce((total, [, share]) => total + share, 0)
  if (shares.length === 0 || sum >= 100 - PERCENT_TOLERANCE) return undefined
  return `have rollout percentages that add up to ${Number(sum.toFixed(6))}; they must add up to 100`
}

/**
 * Refuses variants that leave out some persons. Stored variants may stay as they are.
 *
 * @param flag Checked by `parseFlag`.
 * @param stored The flag before the change.
 * @throws DefinitionError
 */
export const refusePartialVariants = (flag: NewFlag, stored?: NewFlag): void => {
  const rule = describePartialVariants(flag)
  if (rule === undefined || isDeepStrictEqual(listShares(flag), listShares(stored))) return
  throw new DefinitionError('filters.multivariate.variants', rule)
}
