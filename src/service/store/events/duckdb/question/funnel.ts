import { DuckDBListValue, DuckDBStructVector } from '@duckdb/node-api'
import type { DuckDBListVector, DuckDBVector } from '@duckdb/node-api'
import { FilterError } from '../../../../insight/filter/filter-error.ts'
import type { ActorEvents } from '../../../../insight/funnel/actor-events.ts'
import { createConversionCollector } from '../../../../insight/funnel/collect-conversions.ts'
import type { FunnelAnswer, FunnelBreakdown, FunnelQuestion } from '../../../../insight/question/funnel.ts'
import type { GroupValues } from '../../../../insight/question/trend.ts'
import { createEventSource, EVENT_TIME } from './event-source.ts'
import type { ForEachChunk } from './select.ts'

/**
 * Answers a funnel with one SELECT, which has a sorted list of the events of each actor. The steps are followed in JavaScript, where
 * an event is one number: the time since the start of the range, and in its lowest bits which conditions the event matches.
 */
export const answerFunnel = async (question: FunnelQuestion, forEachChunk: ForEachChunk): Promise<FunnelAnswer> => {
  const { breakdown } = question
  const { attribution, properties = [] } = breakdown ?? {}
  const packing = createPacking(question)
  const collector = createConversionCollector(question)
  await forEachChunk(writeFunnel(question, packing), (chunk) => {
    const lists = chunk.getColumnVector(0) as DuckDBListVector
    const items = lists.childVector
    const [numbers, itemTexts] =
      items instanceof DuckDBStructVector ? [items.entryVectorAt(0), items.entryVectorAt(1)] : [items, null]
    const actorTexts = chunk.columnCount > 1 ? chunk.getColumnVector(1) : null
    for (let row = 0; row < chunk.rowCount; row++) {
      const offset = lists.getEntryOffset(row)
      const events = packing.unpack(numbers, offset, lists.getEntryLength(row))
      collector.add(events, (chain) => {
        if (attribution?.of !== 'step') return readTexts(actorTexts, row, properties.length)
        const position = chain[attribution.step]
        return position === undefined ? null : readTexts(itemTexts, offset + position, properties.length)
      })
    }
  })
  return collector.answer()
}

/** An event as one number. */
interface Packing {
  /** SQL for the number, from the columns `time` and `mask`. */
  readonly sql: string
  /** The events are valid until the next call. */
  readonly unpack: (numbers: DuckDBVector, offset: number, count: number) => ActorEvents
}

/** Throws `FilterError` if times and masks together do not fit in a double. */
const createPacking = ({ range, steps, exclusions, events }: FunnelQuestion): Packing => {
  const factor = 2 ** (steps.length + exclusions.length)
  if ((range.before - range.from) * factor > Number.MAX_SAFE_INTEGER)
    throw new FilterError(events.path, 'must have fewer steps and exclusions, or a shorter range of dates')
  let [times, masks] = [new Float64Array(), new Int32Array()]
  return {
    sql: `((time - ${range.from}) * ${factor} + mask)::DOUBLE`,
    unpack(numbers, offset, count) {
      if (count > times.length) [times, masks] = [new Float64Array(2 * count), new Int32Array(2 * count)]
      for (let index = 0; index < count; index++) {
        const number = numbers.getItem(offset + index) as number
        const time = Math.floor(number / factor)
        times[index] = range.from + time
        masks[index] = number - time * factor
      }
      return { count, times, masks }
    },
  }
}

/** Writes a SELECT of the events of each actor and, where the actor has them, the texts of its group. */
const writeFunnel = (question: FunnelQuestion, { sql: packed }: Packing): string => {
  const { events, actor, range, steps, exclusions, order, breakdown } = question
  const source = createEventSource(events)
  const conditions = [...steps, ...exclusions.map(({ condition }) => condition)].map(source.write)
  const mask = conditions.map((sql, bit) => `CASE WHEN ${sql} THEN ${2 ** bit} ELSE 0 END`).join(' + ')
  const actorSql = source.writeActor(actor)
  const columns = [
    `${actorSql} AS actor`,
    `${EVENT_TIME} AS time`,
    `${mask} AS mask`,
    ...(breakdown === null ? [] : [`[${breakdown.properties.map(source.writeText).join(', ')}] AS texts`]),
    ...(breakdown === null ? [] : ['(events.timestamp, events.uuid) AS place']),
  ]
  const matching = `SELECT ${columns.join(', ')} ${source.writeFrom(range, `${actorSql} IS NOT NULL`)}`
  const item = breakdown?.attribution.of === 'step' ? `{'packed': ${packed}, 'texts': texts}` : packed
  const texts = breakdown === null ? null : writeGroupTexts(breakdown, steps.length)
  const group = breakdown?.attribution.of === 'all_events' ? 'actor, texts' : 'actor'
  return source.toQuery(
    `SELECT list_sort(list(${item}))${texts === null ? '' : `, ${texts}`} FROM (${matching})` +
      `${order === 'strict' ? '' : ' WHERE mask <> 0'} GROUP BY ${group}`,
  )
}

/** Writes the texts of the group that an actor is in; null where each event has its own. */
const writeGroupTexts = ({ attribution: { of }, properties }: FunnelBreakdown, stepCount: number): string | null => {
  if (of === 'all_events') return 'texts'
  if (of === 'step') return null
  const hasText = properties.map((_, index) => `texts[${index + 1}] IS NOT NULL`).join(' OR ')
  return `${of === 'first_touch' ? 'arg_min' : 'arg_max'}(texts, place) FILTER (WHERE (mask & ${2 ** stepCount - 1}) <> 0 AND (${hasText}))`
}

/** Reads a list of texts; all are missing if there is no list. */
const readTexts = (lists: DuckDBVector | null, index: number, length: number): GroupValues => {
  const list = lists?.getItem(index)
  const items = list instanceof DuckDBListValue ? list.items : []
  return Array.from({ length }, (_, place) => (typeof items[place] === 'string' ? items[place] : null))
}
