import type { Periods } from '../../../../insight/time/periods.ts'

/** Periods of the same length that follow each other. */
interface Run {
  readonly start: number
  readonly length: number
  /** Index of the first one. */
  readonly index: number
}

const toRuns = ({ starts, end }: Pick<Periods, 'starts' | 'end'>): readonly Run[] => {
  const runs: Run[] = []
  for (const [index, start] of starts.entries()) {
    const length = (starts[index + 1] ?? end) - start
    if (runs.at(-1)?.length !== length) runs.push({ start, length, index })
  }
  return runs
}

/**
 * Writes the index of the period that a time is in. Most periods have the same length, so that this is a division; another
 * length, as of the day on which the clocks change, begins another branch.
 *
 * @param milliseconds SQL for the time in milliseconds since 1970, at or after the first start and before the end.
 */
export const writePeriodIndex = (periods: Pick<Periods, 'starts' | 'end'>, milliseconds: string): string => {
  const branches = toRuns(periods).map(({ start, length, index }) => ({
    start,
    sql: `((${milliseconds}) - ${start}) // ${length} + ${index}`,
  }))
  const last = branches.pop()!.sql
  if (branches.length === 0) return `(${last})`
  const ends = toRuns(periods).slice(1)
  const cases = branches.map(({ sql }, index) => `WHEN (${milliseconds}) < ${ends[index]!.start} THEN ${sql}`)
  return `(CASE ${cases.join(' ')} ELSE ${last} END)`
}
