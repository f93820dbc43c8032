import type { DuckDBDataChunk, DuckDBListVector, DuckDBStructVector, DuckDBVector } from '@duckdb/node-api'
import { QueryError } from '../../../../indexer/query-error.ts'
import { ROWS_PER_YIELD } from '../../../../work-in-chunks.ts'
import type { Work } from '../../../../work-in-chunks.ts'
import type { PathCounter } from '../../../../insight/paths/count-paths.ts'
import { createPathCounter, MAX_VALUES } from '../../../../insight/paths/count-paths.ts'
import type { ItemType, PathsAnswer, PathsQuestion } from '../../../../insight/question/paths.ts'
import type { EventSource } from './event-source.ts'
import { createEventSource, EVENT_TIME } from './event-source.ts'
import type { Scan } from './select.ts'

/** Most different edges that are counted: each takes about 100 bytes, and twice as many more while they are ranked. */
const MAX_EDGES = 1_000_000

const ADVICE = 'Join similar items with "pathGroupings" or "pathReplacements", or ask for a shorter time.'

/** Answers paths: one SELECT of the events of each actor, which are then walked one after the other. */
export const answerPaths = (question: PathsQuestion, scan: Scan): Promise<PathsAnswer> => {
  const counter = createPathCounter(question)
  return scan(writePaths(question), {
    *read(chunk) {
      yield* readChunk(chunk, counter)
      checkSize(counter.size)
    },
    *end() {
      yield
      return { edges: counter.rank() }
    },
  })
}

const checkSize = ({ values, edges }: PathCounter['size']): void => {
  if (values > MAX_VALUES)
    throw new QueryError(
      'memory',
      `The paths have more than ${MAX_VALUES} different pages, screens and events. ${ADVICE}`,
    )
  if (edges > MAX_EDGES)
    throw new QueryError('memory', `The paths have more than ${MAX_EDGES} different steps. ${ADVICE}`)
}

/** SQL for whether an event is of a type, and for the value that names its item. */
interface TypeSql {
  readonly test: string
  readonly value: string
}

const writeType = (type: ItemType, { writeText }: EventSource): TypeSql => {
  const read = (name: string): string => writeText({ source: { of: 'event' }, name })
  switch (type) {
    case 'page':
      return { test: "events.event = '$pageview'", value: read('$current_url') }
    case 'screen':
      return { test: "events.event = '$screen'", value: read('$screen_name') }
    default:
      return { test: "NOT starts_with(events.event, '$')", value: 'events.event' }
  }
}

/**
 * Writes a SELECT of two kinds of rows: first each different value of the events, with a number; then each actor, with a list of
 * events. In these the number stands for the value, because a list of long texts would not fit in memory.
 */
const writePaths = ({ events, range, actor, items: { types } }: PathsQuestion): string => {
  const source = createEventSource(events)
  const kinds = types.map((type) => writeType(type, source))
  const value = `CASE ${kinds.map((kind) => `WHEN ${kind.test} THEN ${kind.value}`).join(' ')} END`
  const isUrl = "events.event = '$pageview'"
  const actorSql = source.writeActor(actor)
  const from = source.writeFrom(
    range,
    `(${kinds.map(({ test }) => test).join(' OR ')})`,
    `${actorSql} IS NOT NULL`,
    `${value} <> ''`,
  )
  const included = `SELECT ${actorSql} AS actor, ${EVENT_TIME}::DOUBLE AS time, events.uuid AS uuid, ${isUrl} AS is_url, ${value} AS value ${from}`
  // UNION ALL keeps the order of its parts.
  return source.toQuery(
    'SELECT * FROM (' +
      'WITH item_values AS MATERIALIZED (' +
      'SELECT is_url, value, (row_number() OVER ())::INTEGER AS number ' +
      `FROM (SELECT DISTINCT ${isUrl} AS is_url, ${value} AS value ${from})) ` +
      'SELECT number, is_url, value, [] AS events FROM item_values ' +
      "UNION ALL SELECT NULL, NULL, NULL, list({'time': time, 'number': number, 'uuid': uuid}) " +
      `FROM (${included}) JOIN item_values USING (is_url, value) GROUP BY actor)`,
  )
}

const readChunk = function* (chunk: DuckDBDataChunk, counter: PathCounter): Work {
  const [numbers, areUrls, values, lists] = [0, 1, 2, 3].map((index) => chunk.getColumnVector(index)) as [
    DuckDBVector,
    DuckDBVector,
    DuckDBVector,
    DuckDBListVector,
  ]
  const events = lists.childVector as DuckDBStructVector
  const [times, eventNumbers, uuids] = [0, 1, 2].map((index) => events.entryVectorAt(index)) as [
    DuckDBVector,
    DuckDBVector,
    DuckDBVector,
  ]
  for (let row = 0; row < chunk.rowCount; row++) {
    const number = numbers.getItem(row)
    if (row % 64 === 63) yield
    if (number !== null) {
      counter.addValue(Number(number), String(values.getItem(row)), areUrls.getItem(row) === true)
      continue
    }
    const offset = lists.getEntryOffset(row)
    const length = lists.getEntryLength(row)
    const actorTimes = new Float64Array(length)
    const actorValues = new Int32Array(length)
    for (let place = 0; place < length; place++) {
      actorTimes[place] = times.getItem(offset + place) as number
      actorValues[place] = eventNumbers.getItem(offset + place) as number
      if (place % ROWS_PER_YIELD === ROWS_PER_YIELD - 1) yield
    }
    const uuidAt = (place: number): string => String(uuids.getItem(offset + place))
    yield* counter.addActor({
      times: actorTimes,
      values: actorValues,
      compareUuids: (a, b) => (uuidAt(a) < uuidAt(b) ? -1 : 1),
    })
  }
}
