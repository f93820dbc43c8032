import type {
  Aggregate,
  GroupValues,
  Measure,
  TrendAnswer,
  TrendGroup,
  TrendGroupsAnswer,
  TrendGroupsQuestion,
  TrendQuestion,
} from '../../../../src/service/insight/question/trend.ts'
import type { WorldEvent } from '../world.ts'
import { actorOf } from './actor.ts'
import { compareValues } from './compare.ts'
import { matches, readNumber, textOf } from './matches.ts'
import { isIn, periodOf } from './periods.ts'

const percentile = (numbers: readonly number[], share: number): number => {
  const sorted = numbers.toSorted((a, b) => a - b)
  const place = (sorted.length - 1) * share
  const below = sorted[Math.floor(place)]!
  return below + (sorted[Math.ceil(place)]! - below) * (place - Math.floor(place))
}

const AGGREGATES: Readonly<Record<Aggregate, (numbers: readonly number[]) => number>> = {
  average: (numbers) => numbers.reduce((sum, number) => sum + number, 0) / numbers.length,
  sum: (numbers) => numbers.reduce((sum, number) => sum + number, 0),
  min: (numbers) => Math.min(...numbers),
  max: (numbers) => Math.max(...numbers),
  median: (numbers) => percentile(numbers, 0.5),
  p75: (numbers) => percentile(numbers, 0.75),
  p90: (numbers) => percentile(numbers, 0.9),
  p95: (numbers) => percentile(numbers, 0.95),
  p99: (numbers) => percentile(numbers, 0.99),
}

const aggregate = (kind: Aggregate, numbers: readonly number[]): number =>
  numbers.length === 0 ? 0 : AGGREGATES[kind](numbers)

/** An answer that is computed one event at a time. */
export const answerTrend = (question: TrendQuestion, all: readonly WorldEvent[]): TrendAnswer => {
  const { events, measure, periods, isTotal, breakdown } = question
  const isSelected = (event: WorldEvent): boolean => matches(events.condition, event, events.matching)
  const hasActor = (event: WorldEvent): boolean => !('actor' in measure) || actorOf(measure.actor, event) !== null
  const selected = all.filter((event) => isSelected(event) && hasActor(event))
  const inRange = selected.filter(({ timestamp }) => isIn(periods.range, timestamp))
  const valuesOf = (event: WorldEvent): GroupValues =>
    (breakdown?.properties ?? []).map((reference) => textOf(reference, event))
  const keys = new Set((breakdown?.groups ?? []).map((values) => JSON.stringify(values)))
  const isOther = (event: WorldEvent): boolean => !keys.has(JSON.stringify(valuesOf(event)))
  const measureGroup = (values: TrendGroup['values'], isInGroup: (event: WorldEvent) => boolean) => {
    const numbers = Array.from({ length: isTotal ? 1 : periods.starts.length }, (_, index) =>
      measureOne(measure, question, { all: all.filter(hasActor), selected, inRange, isInGroup, index }),
    )
    const isEmpty = measure.kind === 'property' ? !inRange.some(isInGroup) : numbers.every((number) => number === 0)
    return { values, numbers, isEmpty }
  }
  const groups =
    breakdown === null
      ? [{ ...measureGroup([], () => true), isEmpty: false }]
      : [
          ...breakdown.groups.map((values) => {
            const key = JSON.stringify(values)
            return measureGroup(values, (event) => JSON.stringify(valuesOf(event)) === key)
          }),
          measureGroup('others', isOther),
        ]
  return { groups: groups.filter(({ isEmpty }) => !isEmpty).map(({ values, numbers }) => ({ values, numbers })) }
}

/** The groups with the most events, counted one event at a time. */
export const answerTrendGroups = (
  { trends, breakdown: { properties, limit } }: TrendGroupsQuestion,
  all: readonly WorldEvent[],
): TrendGroupsAnswer => {
  const counts = new Map<string, number>()
  for (const { events, measure, periods } of trends) {
    const from = measure.kind === 'active' ? Math.min(periods.range.from, measure.since[0]!) : periods.range.from
    for (const event of all) {
      if (!isIn({ ...periods.range, from }, event.timestamp) || !matches(events.condition, event, events.matching))
        continue
      if ('actor' in measure && actorOf(measure.actor, event) === null) continue
      const key = JSON.stringify(properties.map((reference) => textOf(reference, event)))
      counts.set(key, (counts.get(key) ?? 0) + 1)
    }
  }
  const ranked = [...counts]
    .map(([key, count]) => ({ values: JSON.parse(key) as GroupValues, count }))
    .toSorted((a, b) => b.count - a.count || compareValues(a.values, b.values))
  return { groups: ranked.slice(0, limit).map(({ values }) => values) }
}

interface Events {
  readonly all: readonly WorldEvent[]
  readonly selected: readonly WorldEvent[]
  readonly inRange: readonly WorldEvent[]
  readonly isInGroup: (event: WorldEvent) => boolean
  /** Of the period. */
  readonly index: number
}

/** The number of one group in one period, or in all of them. */
const measureOne = (
  measure: Measure,
  { periods, isTotal, events: { matching } }: TrendQuestion,
  { all, selected, inRange, isInGroup, index }: Events,
): number => {
  const isInPeriod = ({ timestamp }: WorldEvent): boolean => isTotal || periodOf(periods, timestamp) === index
  const found = inRange.filter((event) => isInGroup(event) && isInPeriod(event))
  switch (measure.kind) {
    case 'count':
      return found.length
    case 'unique': {
      const actors = new Set(found.map((event) => actorOf(measure.actor, event)))
      if (!measure.isCumulative || isTotal) return actors.size
      const earlier = inRange.filter((event) => isInGroup(event) && periodOf(periods, event.timestamp) < index)
      for (const event of earlier) actors.delete(actorOf(measure.actor, event))
      return actors.size
    }
    case 'active': {
      const end = isTotal
        ? periods.range.before
        : Math.min(periods.starts[index + 1] ?? periods.end, periods.range.before)
      const window = { from: measure.since[index]!, before: end }
      const active = selected.filter((event) => isInGroup(event) && isIn(window, event.timestamp))
      return new Set(active.map((event) => actorOf(measure.actor, event))).size
    }
    case 'first_time': {
      const firsts = new Map<string, WorldEvent>()
      for (const event of all) {
        if (!matches(measure.among, event, matching)) continue
        const actor = actorOf(measure.actor, event)!
        const first = firsts.get(actor)
        const isEarlier =
          first === undefined ||
          event.timestamp < first.timestamp ||
          (event.timestamp === first.timestamp && event.uuid < first.uuid)
        if (isEarlier) firsts.set(actor, event)
      }
      return found.filter((event) => firsts.get(actorOf(measure.actor, event)!) === event).length
    }
    case 'property': {
      const texts = found.map((event) => textOf(measure.property, event))
      const numbers = texts.flatMap((text) => readNumber(text) ?? [])
      return aggregate(measure.aggregate, numbers.filter(Number.isFinite))
    }
    default: {
      const counts = new Map<string | null, number>()
      for (const event of found) {
        const actor = actorOf(measure.actor, event)
        counts.set(actor, (counts.get(actor) ?? 0) + 1)
      }
      return aggregate(measure.aggregate, [...counts.values()])
    }
  }
}
