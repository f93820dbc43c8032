import type { Condition } from '../../../../insight/filter/condition.ts'
import { hasStep } from '../../../../insight/funnel/actor-events.ts'
import type { ConversionCollector } from '../../../../insight/funnel/collect-conversions.ts'
import { createConversionCollector } from '../../../../insight/funnel/collect-conversions.ts'
import { createActorFinder } from '../../../../insight/funnel/find-actors.ts'
import type { ActorWindows } from '../../../../insight/funnel/find-windows.ts'
import { createWindowFinder } from '../../../../insight/funnel/find-windows.ts'
import type {
  FirstStep,
  FunnelAnswer,
  FunnelBreakdown,
  FunnelPoint,
  FunnelQuestion,
} from '../../../../insight/question/funnel.ts'
import type { FunnelPaths } from '../../../../insight/question/paths.ts'
import type { GroupValues } from '../../../../insight/question/trend.ts'
import { quoteString } from '../../../../sql/quote-clickhouse.ts'
import { createEventPacking } from '../../question/event-packing.ts'
import type { EventSource } from '../../question/event-source.ts'
import type { Select } from '../../question/select.ts'
import { EVENT_TIME, EVENT_UUID } from './clickhouse-engine.ts'
import { createEventSource } from './event-source.ts'
import type { Scan } from './scan.ts'

/** How the SELECTs of a funnel run. */
export interface FunnelParts {
  readonly select: Select
  readonly scan: Scan
}

/** Answers a funnel: one SELECT of the events, and with a breakdown one before it of the groups. The steps are followed in JavaScript. */
export const answerFunnel = (question: FunnelQuestion, parts: FunnelParts): Promise<FunnelAnswer> =>
  scanFunnel(question, parts, createConversionCollector(question))

/** Finds the actors of a point. */
export const findFunnelActors = (point: FunnelPoint, parts: FunnelParts): Promise<readonly string[]> =>
  scanFunnel(point.question, parts, createActorFinder(point))

/** Finds the actors of a point, and the time that their paths count in. */
export const findFunnelWindows = (paths: FunnelPaths, parts: FunnelParts): Promise<ActorWindows> =>
  scanFunnel(paths.question, parts, createWindowFinder(paths))

const scanFunnel = async <Answer>(
  question: FunnelQuestion,
  { select, scan }: FunnelParts,
  { nameGroup, add, answer }: ConversionCollector<Answer>,
): Promise<Answer> => {
  const packing = createEventPacking(question)
  const { attribution } = question.breakdown ?? {}
  const divided = question.breakdown === null ? null : createDivision(question, question.breakdown, packing.sql)
  const named = divided === null ? [] : ((await select(divided.named)) as readonly GroupValues[])
  for (const values of named) nameGroup(values)
  const sql = divided === null ? writeWhole(question, packing.sql) : divided.writeActors(named)
  return scan(sql, {
    *read([items, actor, place, places]) {
      const numbers = items as readonly number[]
      const events = yield* packing.unpack({ getItem: (index) => numbers[index] }, 0, numbers.length)
      yield* add(
        events,
        () => String(actor),
        (chain) => {
          if (attribution?.of !== 'step') return toPlace(place)
          if (!hasStep(chain, attribution.step)) return null
          return toPlace((places as readonly unknown[])[chain[attribution.step]!])
        },
      )
    },
    end: answer,
  })
}

const toPlace = (place: unknown): number | 'others' => (Number(place) === OTHERS ? 'others' : Number(place))

/** The place of all groups beyond the limit. */
const OTHERS = -1

/** Writes a SELECT of the events of each actor, and its id. */
const writeWhole = (question: FunnelQuestion, packed: string): string => {
  const source = createEventSource(question.events)
  return source.toQuery(
    `SELECT groupArray(${packed}) AS items, actor FROM (${writeEvents(question, source, [])}) GROUP BY actor`,
  )
}

/** Writes a SELECT of the events that matter, with the columns actor, time, mask and others. */
const writeEvents = (
  { actor, range, steps, firstSteps, exclusions, order }: FunnelQuestion,
  source: EventSource,
  others: readonly string[],
): string => {
  const actorSql = source.writeActor(actor)
  const writeStep = (step: Condition, index: number): string => {
    const first = firstSteps.find((each) => each.step === index)
    return first === undefined
      ? source.write(step)
      : `${source.write(step)} AND ${writeIsFirst(first, actorSql, source)}`
  }
  const conditions = [...steps.map(writeStep), ...exclusions.map(({ condition }) => source.write(condition))]
  const mask = conditions.map((sql, bit) => `if(${sql}, ${2 ** bit}, 0)`).join(' + ')
  const columns = [`${actorSql} AS actor`, `${EVENT_TIME} AS time`, `toInt64(${mask}) AS mask`, ...others]
  const all = `SELECT ${columns.join(', ')} ${source.writeFrom(range, `${actorSql} IS NOT NULL`)}`
  return order === 'strict' ? all : `SELECT * FROM (${all}) WHERE mask != 0`
}

/** Whether an event is the first one of its actor among others. */
const writeIsFirst = ({ among }: FirstStep, actor: string, source: EventSource): string =>
  `events.uuid IN (SELECT argMin(events.uuid, (events.timestamp, ${EVENT_UUID})) ` +
  `${source.writeFromAll(`${actor} IS NOT NULL`, source.write(among))} GROUP BY ${actor})`

/** The SELECTs of a breakdown. */
interface Division {
  /** The texts of the groups that most actors may be in, as far as the limit goes. */
  readonly named: string
  /** Writes a SELECT of the events of each actor, its id and the place of its group, or the places of its events. */
  readonly writeActors: (named: readonly GroupValues[]) => string
}

const createDivision = (question: FunnelQuestion, breakdown: FunnelBreakdown, packed: string): Division => {
  const { steps, order } = question
  const source = createEventSource(question.events)
  const texts = breakdown.properties.map((_, index) => `text_${index}`)
  const columns = breakdown.properties.map((property, index) => `${source.writeText(property)} AS ${texts[index]}`)
  const parts: DividedParts = {
    breakdown,
    matching: writeEvents(question, source, [`${EVENT_UUID} AS uuid_text`, ...columns]),
    packed,
    texts,
    isStep: `bitAnd(mask, ${2 ** steps.length - 1}) != 0`,
    // Without an order, each step may be the first one.
    hasBegun: `max(bitAnd(mask, ${order === 'unordered' ? 2 ** steps.length - 1 : 1}) != 0)`,
  }
  const division = breakdown.attribution.of === 'step' ? divideEvents(parts) : divideActors(parts)
  return {
    named: source.toQuery(division.named),
    writeActors: (named) => source.toQuery(division.writeActors(named)),
  }
}

/** What the SELECTs of a breakdown are written of. */
interface DividedParts {
  readonly breakdown: FunnelBreakdown
  /** A SELECT of the events that matter, with the columns actor, time, mask, uuid_text and the texts. */
  readonly matching: string
  /** SQL for the number of an event. */
  readonly packed: string
  readonly texts: readonly string[]
  /** SQL for whether an event matches a step. */
  readonly isStep: string
  /** SQL for whether the events of an actor have a first step. */
  readonly hasBegun: string
}

/** Each actor has the texts of one of its events, or is as many actors as it has different texts. */
const divideActors = (parts: DividedParts): Division => {
  const { breakdown, matching, packed, texts, isStep, hasBegun } = parts
  const isOfEach = breakdown.attribution.of === 'all_events'
  const choose = breakdown.attribution.of === 'first_touch' ? 'argMinIf' : 'argMaxIf'
  const isTouch = `${isStep} AND (${texts.map((text) => `${text} IS NOT NULL`).join(' OR ')})`
  // Of no event, the tuple has its default values: NULL.
  const chosen = `${choose}((${[...texts, '0'].join(', ')}), (time, uuid_text), ${isTouch})`
  const divided = isOfEach
    ? `SELECT groupArray(${packed}) AS items, actor, ${texts.join(', ')} FROM (${matching}) ` +
      `GROUP BY actor, ${texts.join(', ')} HAVING ${hasBegun}`
    : `SELECT items, actor, ${texts.map((text, index) => `chosen.${index + 1} AS ${text}`).join(', ')} FROM (` +
      `SELECT groupArray(${packed}) AS items, actor, ${chosen} AS chosen FROM (${matching}) GROUP BY actor HAVING ${hasBegun})`
  return {
    named: writeNamed(parts, `(${divided})`, 'count()'),
    writeActors: (named) => `SELECT items, actor, ${writePlace(named, texts)} AS place FROM (${divided})`,
  }
}

/** An actor is in the group of the event that is one of its steps. */
const divideEvents = (parts: DividedParts): Division => {
  const { breakdown, matching, packed, texts, hasBegun } = parts
  const step = breakdown.attribution.of === 'step' ? breakdown.attribution.step : 0
  const begun = `(SELECT actor FROM (${matching}) GROUP BY actor HAVING ${hasBegun})`
  const candidates = `(SELECT * FROM (${matching}) WHERE bitAnd(mask, ${2 ** step}) != 0 AND actor IN ${begun})`
  return {
    named: writeNamed(parts, candidates, 'uniqExact(actor)'),
    writeActors(named) {
      // What events of the same time are ordered by, before their masks, is their first step.
      const item = `(time, bitAnd(mask, -mask), ${packed}, uuid_text, ${writePlace(named, texts)})`
      const actors = `SELECT arraySort(groupArray(${item})) AS sorted, actor FROM (${matching}) WHERE actor IN ${begun} GROUP BY actor`
      return `SELECT arrayMap(item -> item.3, sorted) AS items, actor, ${OTHERS} AS place, arrayMap(item -> item.5, sorted) AS places FROM (${actors})`
    },
  }
}

const writeNamed = ({ breakdown: { limit }, texts }: DividedParts, from: string, size: string): string => {
  const keys = texts.join(', ')
  return `SELECT ${keys} FROM (SELECT ${keys}, ${size} AS size FROM ${from} GROUP BY ${keys}) ORDER BY size DESC, ${keys} LIMIT ${limit}`
}

/** Writes the place of the group that has the texts. */
const writePlace = (named: readonly GroupValues[], texts: readonly string[]): string => {
  const cases = named.map((values, place) => {
    const tests = values.map((value, index) =>
      value === null ? `${texts[index]} IS NULL` : `${texts[index]} = ${quoteString(value)}`,
    )
    return `${tests.join(' AND ')}, ${place}`
  })
  return cases.length === 0 ? String(OTHERS) : `multiIf(${cases.join(', ')}, ${OTHERS})`
}
