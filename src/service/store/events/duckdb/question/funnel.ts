import { DuckDBStructVector } from '@duckdb/node-api'
import type { DuckDBListVector, DuckDBVector } from '@duckdb/node-api'
import { createConversionCollector } from '../../../../insight/funnel/collect-conversions.ts'
import type { ConversionCollector, GroupPlace } from '../../../../insight/funnel/collect-conversions.ts'
import { hasStep } from '../../../../insight/funnel/actor-events.ts'
import type { Condition } from '../../../../insight/filter/condition.ts'
import type { ActorWindows } from '../../../../insight/funnel/find-windows.ts'
import { createWindowFinder } from '../../../../insight/funnel/find-windows.ts'
import { createActorFinder } from '../../../../insight/funnel/find-actors.ts'
import type {
  FirstStep,
  FunnelAnswer,
  FunnelBreakdown,
  FunnelPoint,
  FunnelQuestion,
} from '../../../../insight/question/funnel.ts'
import type { FunnelPaths } from '../../../../insight/question/paths.ts'
import type { EventPacking } from '../../question/event-packing.ts'
import { createEventPacking, FIRST_STEP_SQL } from '../../question/event-packing.ts'
import type { EventSource } from '../../question/event-source.ts'
import { PERSON_NUMBER } from './duckdb-engine.ts'
import { createEventSource, EVENT_TIME } from './event-source.ts'
import { scanPersons, writePersonLists } from './scan-persons.ts'
import type { Scan } from './select.ts'

/** Answers a funnel with one SELECT. The steps are followed in JavaScript. */
export const answerFunnel = (question: FunnelQuestion, scan: Scan): Promise<FunnelAnswer> =>
  scanFunnel(question, scan, createConversionCollector(question))

/** Finds the actors of a point. */
export const findFunnelActors = async (point: FunnelPoint, scan: Scan): Promise<readonly string[]> =>
  scanFunnel(point.question, scan, createActorFinder(point))

/** Finds the actors of a point, and the time that their paths count in. */
export const findFunnelWindows = async (paths: FunnelPaths, scan: Scan): Promise<ActorWindows> =>
  scanFunnel(paths.question, scan, createWindowFinder(paths))

const scanFunnel = <Answer>(
  question: FunnelQuestion,
  scan: Scan,
  collector: ConversionCollector<Answer>,
): Promise<Answer> => {
  const packing = createEventPacking(question)
  const isOfNumbers = question.actor.of === 'person' && question.breakdown === null && !collector.readsActors
  return (isOfNumbers ? scanNumbers : scanLists)({ question, packing, collector, scan })
}

interface FunnelScan<Answer> {
  readonly question: FunnelQuestion
  readonly packing: EventPacking
  readonly collector: ConversionCollector<Answer>
  readonly scan: Scan
}

/** Reads the events of persons by their numbers. */
const scanNumbers = <Answer>({
  question,
  packing,
  collector: { add, answer },
  scan,
}: FunnelScan<Answer>): Promise<Answer> => {
  const source = createEventSource(question.events)
  const events = writeEvents(question, source, { actor: PERSON_NUMBER })
  const sql = source.toQuery(writePersonLists(`SELECT actor AS person, ${packing.sql} AS number FROM (${events})`))
  return scanPersons(
    scan,
    { sql },
    {
      *read(numbers, offset, count) {
        yield* add(yield* packing.unpack(numbers, offset, count), NO_ID, () => null)
      },
      end: answer,
    },
  )
}

const NO_ID = (): string => ''

/** Reads a list of the events of each actor. */
const scanLists = <Answer>({
  question,
  packing,
  collector: { nameGroup, add, answer },
  scan,
}: FunnelScan<Answer>): Promise<Answer> => {
  const { attribution } = question.breakdown ?? {}
  return scan(writeFunnel(question, packing.sql), {
    *read(chunk) {
      const [list, ids, places, ...texts] = Array.from({ length: chunk.columnCount }, (_, index) =>
        chunk.getColumnVector(index),
      )
      const lists = list as DuckDBListVector
      const items = lists.childVector
      const [numbers, placesOfItems] =
        items instanceof DuckDBStructVector ? ITEM_FIELDS.map((index) => items.entryVectorAt(index)) : [items]
      const { rowCount } = chunk
      for (let row = 0; row < rowCount; row++) {
        const [offset, count] = [lists.getEntryOffset(row), lists.getEntryLength(row)]
        if (count === 0) {
          nameGroup(texts.map((vector) => vector.getItem(row) as string | null))
          continue
        }
        const events = yield* packing.unpack(numbers!, offset, count)
        const readActor = (): string => String(ids!.getItem(row))
        yield* add(events, readActor, (chain) => {
          if (attribution?.of !== 'step') return readPlace(places!, row)
          return hasStep(chain, attribution.step) ? readPlace(placesOfItems!, offset + chain[attribution.step]!) : null
        })
      }
    },
    end: answer,
  })
}

const readPlace = (places: DuckDBVector, index: number): GroupPlace => {
  const place = places.getItem(index)
  return place === null ? 'others' : Number(place)
}

/**
 * Writes a SELECT with a row for each actor: the list of its events, and its id. With a breakdown there is first a row with an empty list for each
 * group, with its texts; those of actors have the place of their group, NULL for the others. Where each event has a group of its own,
 * the list has the places.
 */
const writeFunnel = (question: FunnelQuestion, packed: string): string => {
  const { actor, steps, order, breakdown } = question
  const source = createEventSource(question.events)
  const texts = (breakdown?.properties ?? []).map(
    (property, index) => `${source.writeText(property)} AS ${nameText(index)}`,
  )
  const matching = writeEvents(question, source, {
    actor: source.writeActor(actor),
    others: breakdown === null ? [] : ['events.uuid AS uuid', ...texts],
  })
  if (breakdown === null)
    return source.toQuery(`SELECT list(${packed}) AS items, actor FROM (${matching}) GROUP BY actor`)
  const parts: DividedParts = {
    breakdown,
    matching,
    packed,
    texts: breakdown.properties.map((_, index) => nameText(index)),
    isStep: `(mask & ${2 ** steps.length - 1}) <> 0`,
    // Without an order, each step may be the first one.
    hasBegun: `bool_or((mask & ${order === 'unordered' ? 2 ** steps.length - 1 : 1}) <> 0)`,
  }
  const { tables, actors } = breakdown.attribution.of === 'step' ? divideEvents(parts) : divideActors(parts)
  const names = parts.texts.join(', ')
  const noNames = parts.texts.map(() => 'NULL').join(', ')
  // UNION ALL keeps the order of its parts.
  return source.toQuery(
    `SELECT [] AS items, NULL AS actor, place, ${names} FROM named UNION ALL SELECT items, actor, place, ${noNames} FROM (${actors})`,
    tables,
  )
}

/** What a SELECT of events has beside their times and masks. */
interface EventColumns {
  /** SQL for the actor. */
  readonly actor: string
  /** Default: nothing. */
  readonly others?: readonly string[]
}

/** Writes a SELECT of the events that matter, with the columns actor, time, mask and others. */
const writeEvents = (
  { range, steps, firstSteps, exclusions, order }: FunnelQuestion,
  source: EventSource,
  { actor, others = [] }: EventColumns,
): string => {
  const writeStep = (step: Condition, index: number): string => {
    const first = firstSteps.find((each) => each.step === index)
    return first === undefined ? source.write(step) : `${source.write(step)} AND ${writeIsFirst(first, actor, source)}`
  }
  const conditions = [...steps.map(writeStep), ...exclusions.map(({ condition }) => source.write(condition))]
  const mask = conditions.map((sql, bit) => `CASE WHEN ${sql} THEN ${2 ** bit} ELSE 0 END`).join(' + ')
  const columns = [`${actor} AS actor`, `${EVENT_TIME} AS time`, `${mask} AS mask`, ...others]
  const all = `SELECT ${columns.join(', ')} ${source.writeFrom(range, `${actor} IS NOT NULL`)}`
  return order === 'strict' ? all : `SELECT * FROM (${all}) WHERE mask <> 0`
}

/** Whether an event is the first one of its actor among others. */
const writeIsFirst = ({ among }: FirstStep, actor: string, source: EventSource): string =>
  `events.uuid IN (SELECT arg_min(events.uuid, (events.timestamp, events.uuid)) ` +
  `${source.writeFromAll(`${actor} IS NOT NULL`, source.write(among))} GROUP BY ${actor})`

/** The name of the column with the text of a breakdown's property. */
const nameText = (index: number): string => `text_${index}`

/** What the SELECT of a breakdown is written of. */
interface DividedParts {
  readonly breakdown: FunnelBreakdown
  /** A SELECT of the events that matter, with the columns actor, time, mask, uuid and the texts. */
  readonly matching: string
  /** SQL for the number of an event. */
  readonly packed: string
  readonly texts: readonly string[]
  /** SQL for whether an event matches a step. */
  readonly isStep: string
  /** SQL for whether the events of an actor have a first step. */
  readonly hasBegun: string
}

interface DividedSql {
  /** The tables that it reads; `named` has the texts of the groups and their places. */
  readonly tables: readonly string[]
  /** A SELECT of items, actor and place, for each actor that has begun. */
  readonly actors: string
}

/** Each actor has the texts of one of its events, or is as many actors as it has different texts. */
const divideActors = (parts: DividedParts): DividedSql => {
  const { breakdown, matching, packed, texts, isStep, hasBegun } = parts
  const isOfEach = breakdown.attribution.of === 'all_events'
  const choose = breakdown.attribution.of === 'first_touch' ? 'arg_min_null' : 'arg_max_null'
  const isTouch = `${isStep} AND (${texts.map((text) => `${text} IS NOT NULL`).join(' OR ')})`
  const chosen = texts.map((text) =>
    isOfEach ? text : `${choose}(${text}, (time, uuid)) FILTER (WHERE ${isTouch}) AS ${text}`,
  )
  const divided =
    `SELECT list(${packed}) AS items, actor, ${chosen.join(', ')} FROM (${matching}) ` +
    `GROUP BY actor${isOfEach ? `, ${texts.join(', ')}` : ''} HAVING ${hasBegun}`
  return {
    tables: [`divided AS MATERIALIZED (${divided})`, writeNamed(parts, 'divided', 'count(*)')],
    actors: `SELECT items, actor, place FROM divided ${joinNamed(parts, 'divided')}`,
  }
}

/** An actor is in the group of the event that is one of its steps. */
const divideEvents = (parts: DividedParts): DividedSql => {
  const { breakdown, matching, packed, hasBegun } = parts
  const step = breakdown.attribution.of === 'step' ? breakdown.attribution.step : 0
  const candidates = `(SELECT * FROM matching WHERE (mask & ${2 ** step}) <> 0 AND actor IN (SELECT actor FROM begun))`
  const item = `{'time': time, 'first_step': ${FIRST_STEP_SQL}, 'packed': ${packed}, 'uuid': uuid, 'place': place}`
  return {
    tables: [
      `matching AS MATERIALIZED (${matching})`,
      `begun AS MATERIALIZED (SELECT actor FROM matching GROUP BY actor HAVING ${hasBegun})`,
      writeNamed(parts, candidates, 'count(DISTINCT actor)'),
    ],
    actors:
      `SELECT list_sort(list(${item})) AS items, actor, NULL AS place FROM matching ${joinNamed(parts, 'matching')} ` +
      'WHERE actor IN (SELECT actor FROM begun) GROUP BY actor',
  }
}

/** The places of the number and of the group's place in the struct of an event. */
const ITEM_FIELDS = [2, 4] as const

/** Writes the table of the groups that most actors may be in, as far as the limit goes. */
const writeNamed = ({ breakdown: { limit }, texts }: DividedParts, from: string, size: string): string => {
  const keys = texts.join(', ')
  const order = `size DESC, ${keys}`
  return (
    `named AS MATERIALIZED (SELECT ${keys}, row_number() OVER (ORDER BY ${order}) - 1 AS place FROM ` +
    `(SELECT ${keys}, ${size} AS size FROM ${from} GROUP BY ${keys} ORDER BY ${order} LIMIT ${limit}) ORDER BY place)`
  )
}

const joinNamed = ({ texts }: DividedParts, table: string): string =>
  `LEFT JOIN named ON ${texts.map((text) => `named.${text} IS NOT DISTINCT FROM ${table}.${text}`).join(' AND ')}`
