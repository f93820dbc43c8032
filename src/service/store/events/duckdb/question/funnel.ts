import { DuckDBStructVector } from '@duckdb/node-api'
import type { DuckDBListVector, DuckDBVector } from '@duckdb/node-api'
import { FilterError } from '../../../../insight/filter/filter-error.ts'
import { ROWS_PER_YIELD } from '../../../../work-in-chunks.ts'
import type { Work } from '../../../../work-in-chunks.ts'
import type { ActorEvents } from '../../../../insight/funnel/actor-events.ts'
import { createConversionCollector } from '../../../../insight/funnel/collect-conversions.ts'
import type { FunnelAnswer, FunnelBreakdown, FunnelQuestion } from '../../../../insight/question/funnel.ts'
import type { GroupValues } from '../../../../insight/question/trend.ts'
import { createEventSource, EVENT_TIME } from './event-source.ts'
import type { Scan } from './select.ts'

/**
 * Answers a funnel with one SELECT, which has a list of the events of each actor. The steps are followed in JavaScript, where
 * an event is one number: the time since the start of the range, and in its lowest bits which conditions the event matches.
 */
export const answerFunnel = (question: FunnelQuestion, scan: Scan): Promise<FunnelAnswer> => {
  const { attribution } = question.breakdown ?? {}
  const packing = createPacking(question)
  const { add, answer } = createConversionCollector(question)
  return scan(writeFunnel(question, packing), {
    *read(chunk) {
      const lists = chunk.getColumnVector(0) as DuckDBListVector
      const items = lists.childVector
      const [numbers, ...textsOfItems] = items instanceof DuckDBStructVector ? listEntries(items) : [items]
      const textsOfRows = Array.from({ length: chunk.columnCount - 1 }, (_, index) => chunk.getColumnVector(index + 1))
      for (let row = 0; row < chunk.rowCount; row++) {
        const offset = lists.getEntryOffset(row)
        const events = yield* packing.unpack(numbers!, offset, lists.getEntryLength(row))
        yield* add(events, (chain) => {
          if (attribution?.of !== 'step') return readTexts(textsOfRows, row)
          const position = chain[attribution.step]
          return position === undefined ? null : readTexts(textsOfItems, offset + position)
        })
      }
    },
    end: answer,
  })
}

/** An event as one number. */
interface Packing {
  /** SQL for the number, from the columns `time` and `mask`. */
  readonly sql: string
  /** The events are valid until the next call. */
  readonly unpack: (numbers: DuckDBVector, offset: number, count: number) => Work<ActorEvents>
}

/** Throws `FilterError` if times and masks together do not fit in a double. */
const createPacking = ({ range, steps, exclusions, events }: FunnelQuestion): Packing => {
  const factor = 2 ** (steps.length + exclusions.length)
  if ((range.before - range.from) * factor > Number.MAX_SAFE_INTEGER)
    throw new FilterError(events.path, 'must have fewer steps and exclusions, or a shorter range of dates')
  let [packed, times, masks] = [new Float64Array(), new Float64Array(), new Int32Array()]
  return {
    sql: `((time - ${range.from}) * ${factor} + mask)::DOUBLE`,
    *unpack(numbers, offset, count) {
      if (count > times.length)
        [packed, times, masks] = [new Float64Array(2 * count), new Float64Array(2 * count), new Int32Array(2 * count)]
      let isSorted = true
      for (let index = 0; index < count; index++) {
        const number = numbers.getItem(offset + index) as number
        isSorted &&= index === 0 || packed[index - 1]! <= number
        packed[index] = number
        if (index % ROWS_PER_YIELD === ROWS_PER_YIELD - 1) yield
      }
      if (!isSorted) packed.subarray(0, count).sort()
      for (let index = 0; index < count; index++) {
        const number = packed[index]!
        const time = Math.floor(number / factor)
        times[index] = range.from + time
        masks[index] = number - time * factor
        if (index % ROWS_PER_YIELD === ROWS_PER_YIELD - 1) yield
      }
      return { count, times, masks }
    },
  }
}

/**
 * Writes a SELECT with a row for each actor: the list of its events, and the texts of its group. Where each event has its own texts,
 * the list has them.
 */
const writeFunnel = (question: FunnelQuestion, { sql: packed }: Packing): string => {
  const { events, actor, range, steps, exclusions, order, breakdown } = question
  const source = createEventSource(events)
  const actorSql = source.writeActor(actor)
  const conditions = [...steps, ...exclusions.map(({ condition }) => condition)].map(source.write)
  const columns = [
    `${actorSql} AS actor`,
    `${EVENT_TIME} AS time`,
    `${conditions.map((sql, bit) => `CASE WHEN ${sql} THEN ${2 ** bit} ELSE 0 END`).join(' + ')} AS mask`,
    ...(breakdown === null ? [] : ['(events.timestamp, events.uuid) AS place']),
    ...(breakdown?.properties ?? []).map((property, index) => `${source.writeText(property)} AS text_${index}`),
  ]
  const matching = `SELECT ${columns.join(', ')} ${source.writeFrom(range, `${actorSql} IS NOT NULL`)}`
  const { result, groups } = writeGroups(packed, breakdown, steps.length)
  return source.toQuery(
    `SELECT ${result.join(', ')} FROM (${matching})${order === 'strict' ? '' : ' WHERE mask <> 0'} GROUP BY ${groups.join(', ')}`,
  )
}

interface Groups {
  /** The columns of the result. */
  readonly result: readonly string[]
  /** The columns of which each combination has a row. */
  readonly groups: readonly string[]
}

const writeGroups = (packed: string, breakdown: FunnelBreakdown | null, stepCount: number): Groups => {
  const texts = (breakdown?.properties ?? []).map((_, index) => `text_${index}`)
  const list = `list(${packed})`
  switch (breakdown?.attribution.of) {
    case undefined:
      return { result: [list], groups: ['actor'] }
    case 'all_events':
      return { result: [list, ...texts], groups: ['actor', ...texts] }
    case 'step': {
      const fields = texts.map((text) => `${text} := ${text}`)
      return { result: [`list_sort(list(struct_pack(packed := ${packed}, ${fields.join(', ')})))`], groups: ['actor'] }
    }
    default: {
      const choose = breakdown?.attribution.of === 'first_touch' ? 'arg_min_null' : 'arg_max_null'
      const hasText = texts.map((text) => `${text} IS NOT NULL`).join(' OR ')
      const isTouch = `(mask & ${2 ** stepCount - 1}) <> 0 AND (${hasText})`
      const chosen = texts.map((text) => `${choose}(${text}, place) FILTER (WHERE ${isTouch})`)
      return { result: [list, ...chosen], groups: ['actor'] }
    }
  }
}

const listEntries = (structs: DuckDBStructVector): readonly DuckDBVector[] =>
  Array.from({ length: structs.type.entryCount }, (_, index) => structs.entryVectorAt(index))

const readTexts = (texts: readonly DuckDBVector[], index: number): GroupValues =>
  texts.map((vector) => vector.getItem(index) as string | null)
