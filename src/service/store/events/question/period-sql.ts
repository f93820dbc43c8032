import { QueryError } from '../../../indexer/query-error.ts'
import type { Engine } from './engine.ts'
import type { Periods } from '../../../insight/time/periods.ts'

/** Most runs of periods: 166 years of months. Each is a branch of SQL. */
const MAX_RUNS = 2000

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
  if (runs.length > MAX_RUNS)
    throw new QueryError(
      'invalid',
      `The range of dates has too many months, or days, of different lengths (${MAX_RUNS} at most). Ask for a later start.`,
    )
  return runs
}

/**
 * Writes the index of the period that a time is in. Most periods have the same length, so that this is a division; another
 * length, as of the day on which the clocks change, begins another branch.
 *
 * @param milliseconds SQL for the time in milliseconds since 1970, at or after the first start and before the end.
 * @param divide Writes the whole part of a quotient.
 */
export const writePeriodIndex = (
  periods: Pick<Periods, 'starts' | 'end'>,
  milliseconds: string,
  divide: Engine['divide'],
): string => {
  const runs = toRuns(periods)
  const branches = runs.map(({ start, length, index }, place) => {
    const isOnePeriod = index + 1 === (runs[place + 1]?.index ?? periods.starts.length)
    return isOnePeriod ? String(index) : `${divide(`((${milliseconds}) - ${start})`, length)} + ${index}`
  })
  const last = branches.pop()!
  const cases = branches.map((sql, place) => `WHEN (${milliseconds}) < ${runs[place + 1]!.start} THEN ${sql}`)
  return cases.length === 0 ? `(${last})` : `(CASE ${cases.join(' ')} ELSE ${last} END)`
}
