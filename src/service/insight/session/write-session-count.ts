import type { MatchContext } from '../filter/match-context.ts'
import { createConditionWriter } from '../filter/sql/condition-writer.ts'
import type { Engine } from '../../store/events/question/engine.ts'
import type { SessionCondition, SessionFilter } from './session-filter.ts'

/**
 * Writes a SELECT of the number of sessions that match.
 *
 * @param path Path of the filters, for errors.
 * @throws FilterError for filters that make too long a query, `UnsupportedFilterError` for patterns of which the engine has none.
 */
export const writeSessionCount = (
  { range, condition, durations }: SessionFilter,
  path: string,
  context: MatchContext,
  engine: Engine,
): string => {
  const { milliseconds, quoteNumber } = engine
  // Each condition on events becomes a column, so that the engine tests each event once.
  const eventTests: string[] = []
  const writer = createConditionWriter({ ...context, path, dialect: engine })
  const write = (node: SessionCondition): string => {
    if (node.kind === 'some_event') return engine.some(`test_${eventTests.push(writer.write(node.condition)) - 1}`)
    if (node.conditions.length === 0) return node.kind === 'all' ? 'TRUE' : 'FALSE'
    return `(${node.conditions.map(write).join(node.kind === 'all' ? ' AND ' : ' OR ')})`
  }
  const test = write(condition)
  const durationTests = durations.map(
    ({ sign, seconds }) =>
      `(${milliseconds('max(event_time)')} - ${milliseconds('min(event_time)')}) / 1000 ${sign} ${quoteNumber(seconds)}`,
  )
  const sessionId = engine.readProperty('events.properties', '$session_id').text
  const columns = [
    `${sessionId} AS session_id`,
    ...(durations.length > 0 ? ['events.timestamp AS event_time'] : []),
    ...eventTests.map((sql, index) => `${sql} AS test_${index}`),
  ]
  const isSession = `${sessionId} <> ''`
  // Other events only matter for the duration, and where a session needs no event.
  const tests = eventTests.map((_, index) => `test_${index}`)
  const relevant = durations.length > 0 || matchesWithoutEvents(condition) ? '' : ` WHERE ${tests.join(' OR ')}`
  return writer.toQuery(
    `SELECT count(*) FROM (SELECT session_id` +
      ` FROM (SELECT ${columns.join(', ')} FROM events WHERE ${engine.dateRange(range)} AND ${isSession})${relevant}` +
      ` GROUP BY session_id HAVING ${[test, ...durationTests].join(' AND ')})`,
  )
}

const matchesWithoutEvents = (node: SessionCondition): boolean => {
  if (node.kind === 'some_event') return false
  return node.kind === 'all' ? node.conditions.every(matchesWithoutEvents) : node.conditions.some(matchesWithoutEvents)
}
