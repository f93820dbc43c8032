import type { FilterContext } from '../filter/filter-context.ts'
import { FilterError } from '../filter/filter-error.ts'
import { readComparedRange } from '../query/compared-ranges.ts'
import type { StickinessPoint } from '../question/actors.ts'
import type { Ask } from '../question/questions.ts'
import type { InsightActorsQuery } from '../schema/actors-query.ts'
import type { StickinessQuery } from '../schema/stickiness-query.ts'
import { createStickinessQuestions } from './answer-stickiness.ts'

/** Finds the point of a number of intervals. Throws `FilterError`; rejects with `QueryError`. */
export const findStickinessPoint = async (
  query: StickinessQuery,
  { day, series, compare }: InsightActorsQuery,
  context: FilterContext,
  ask: Ask,
): Promise<StickinessPoint> => {
  const range = await readComparedRange(query, compare, context, ask)
  const question = createStickinessQuestions(query, range, context)[series ?? 0]?.question
  if (question === undefined)
    throw new FilterError('query.source.series', `must be less than ${query.series.length}, the number of series`)
  const most = question.periods.starts.length
  if (day === undefined || day === null) return { kind: 'stickiness', question, least: 1, most }
  const count = Number(day)
  if (!Number.isInteger(count) || count < 1 || count > most)
    throw new FilterError('query.source.day', `must be one of the "days" of the insight, a number from 1 to ${most}`)
  const isCumulative = query.stickinessFilter?.computedAs === 'cumulative'
  return { kind: 'stickiness', question, least: count, most: isCumulative ? most : count }
}
