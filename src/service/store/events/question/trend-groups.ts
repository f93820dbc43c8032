import { MAX_SHOWN_VALUE_BYTES } from '../../../../wire/bounds.ts'
import { spanOf } from '../../../insight/question/span-of.ts'
import type { TrendGroupsAnswer, TrendGroupsQuestion } from '../../../insight/question/trend.ts'
import { readTrendGroups } from './read-trend.ts'
import type { Engine } from './engine.ts'
import { createEventSource } from './event-source.ts'
import type { Select } from './select.ts'

/** Answers which groups have the most events: one SELECT. */
export const answerTrendGroups = async (
  question: TrendGroupsQuestion,
  select: Select,
  engine: Engine,
): Promise<TrendGroupsAnswer> => readTrendGroups(await select(writeTrendGroups(question, engine)))

const writeTrendGroups = (
  { trends, breakdown: { properties, limit } }: TrendGroupsQuestion,
  engine: Engine,
): string => {
  const names = properties.map((_, index) => `value_${index}`)
  const keys = names.join(', ')
  const counts = trends.map((trend) => {
    const { events, measure, periods } = trend
    const source = createEventSource(events, engine)
    const texts = properties.map((property, index) => `${source.writeText(property)} AS ${names[index]}`)
    const hasActor = 'actor' in measure ? [`${source.writeActor(measure.actor)} IS NOT NULL`] : []
    // Those who are active may have their events before the first period.
    const range = measure.kind === 'active' ? spanOf('trend', { ...trend, breakdown: null }) : periods.range
    const from = source.writeFrom(range, ...hasActor)
    return `(${source.toQuery(`SELECT ${texts.join(', ')}, count(*) AS event_count ${from} GROUP BY ${keys}`)})`
  })
  // A longer value is among the others. It would not fit into an answer.
  const areShort = names
    .map((name) => `coalesce(${engine.byteLength(name)}, 0) <= ${MAX_SHOWN_VALUE_BYTES}`)
    .join(' AND ')
  return `SELECT ${keys} FROM (${counts.join(' UNION ALL ')}) WHERE ${areShort} GROUP BY ${keys} ORDER BY sum(event_count) DESC, ${keys} LIMIT ${limit}`
}
