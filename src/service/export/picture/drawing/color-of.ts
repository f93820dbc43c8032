import type { Theme } from '../theme.ts'

/** The colour of a series; after the last one the first one follows. */
export const colorOf = (color: number | 'other', { series, other }: Theme): string =>
  color === 'other' ? other : series[color % series.length]!
