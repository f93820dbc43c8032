import type { ActorEvents, Chain } from '../../../../src/service/insight/funnel/actor-events.ts'
import type {
  FunnelAnswer,
  FunnelNumbers,
  FunnelPoint,
  FunnelQuestion,
  FunnelView,
} from '../../../../src/service/insight/question/funnel.ts'
import type { GroupValues } from '../../../../src/service/insight/question/trend.ts'
import type { WorldEvent } from '../world.ts'
import { actorOf } from './actor.ts'
import { compareValues } from './compare.ts'
import { findConversion } from './conversion.ts'
import { matches, textOf } from './matches.ts'
import { isIn } from './periods.ts'

/** An event with what it matches. */
interface FunnelEvent {
  readonly event: WorldEvent
  readonly mask: number
  readonly values: GroupValues
}

/** A conversion of an actor, as the times of its steps; null for a step that was left out. */
interface Conversion {
  readonly group: GroupValues
  readonly times: readonly (number | null)[]
}

/** An answer that tries all chains of events of each actor. */
export const answerFunnel = (question: FunnelQuestion, all: readonly WorldEvent[]): FunnelAnswer => {
  const { breakdown, view } = question
  const { conversions, named } = findConversions(question, all)
  if (breakdown === null) return { groups: [{ values: [], numbers: count(view, conversions, question) }] }
  return {
    groups: [...named, 'others' as const]
      .map((values) => ({ values, list: conversions.filter((each) => isInGroup(values, each, named)) }))
      .filter(({ list }) => list.length > 0)
      .toSorted(
        (a, b) => Number(a.values === 'others') - Number(b.values === 'others') || b.list.length - a.list.length,
      )
      .map(({ values, list }) => ({ values, numbers: count(view, list, question) })),
  }
}

const didStep = ({ times }: Pick<Conversion, 'times'>, step: number): boolean => (times[step] ?? null) !== null

/** The conversions that have one step, or do not have another one, in a group or in all. */
export const findConversionsOfPoint = (
  { question, doneStep, missedStep, group }: FunnelPoint,
  all: readonly WorldEvent[],
): readonly (Conversion & { readonly id: string })[] => {
  const { conversions, named } = findConversions(question, all)
  return conversions
    .filter((each) => didStep(each, doneStep) && (missedStep === null || !didStep(each, missedStep)))
    .filter(
      (each) => group === null || ((group === 'others' || isNamed(group, named)) && isInGroup(group, each, named)),
    )
}

/** Their actors. */
export const findFunnelActors = (point: FunnelPoint, all: readonly WorldEvent[]): readonly string[] =>
  findConversionsOfPoint(point, all).map(({ id }) => id)

const isSame = (a: GroupValues, b: GroupValues): boolean => compareValues(a, b) === 0

const isNamed = (values: GroupValues, named: readonly GroupValues[]): boolean =>
  named.some((each) => isSame(each, values))

const isInGroup = (values: GroupValues | 'others', { group }: Conversion, named: readonly GroupValues[]): boolean =>
  values === 'others' ? !isNamed(group, named) : isSame(values, group)

const findConversions = (question: FunnelQuestion, all: readonly WorldEvent[]) => {
  const { events, actor, range, breakdown, order } = question
  const actors = new Map<string, { id: string; list: FunnelEvent[] }>()
  for (const event of all) {
    const id = actorOf(actor, event)
    if (id === null || !isIn(range, event.timestamp) || !matches(events.condition, event, events.matching)) continue
    const mask = maskOf(question, event, id, all)
    if (mask === 0 && order !== 'strict') continue
    const values = (breakdown?.properties ?? []).map((property) => textOf(property, event))
    const key = breakdown?.attribution.of === 'all_events' ? JSON.stringify([id, values]) : id
    const { list } = actors.get(key) ?? { list: [] }
    actors.set(key, { id, list: [...list, { event, mask, values }] })
  }
  const sorted = [...actors.values()].map(({ id, list }) => ({ id, list: list.toSorted(compareEvents) }))
  const conversions = sorted.flatMap(({ id, list }) =>
    convert(list, question).map(({ group, times }) => ({ id, group, times })),
  )
  const lists = sorted.map(({ list }) => list)
  return { conversions, named: breakdown === null ? [] : nameGroups(lists, question) }
}

/** The groups that most of those who have begun may be in. */
const nameGroups = (lists: readonly (readonly FunnelEvent[])[], question: FunnelQuestion): readonly GroupValues[] => {
  const { steps, order, breakdown } = question
  const { attribution, limit } = breakdown!
  const hasBegun = ({ mask }: FunnelEvent): boolean =>
    order === 'unordered' ? mask % 2 ** steps.length !== 0 : mask % 2 === 1
  const counts = new Map<string, number>()
  for (const list of lists.filter((each) => each.some(hasBegun))) {
    const possible =
      attribution.of === 'step'
        ? list.filter(({ mask }) => ((mask >> attribution.step) & 1) === 1).map(({ values }) => values)
        : [groupOf(list, [], question)]
    for (const key of new Set(possible.map((values) => JSON.stringify(values))))
      counts.set(key, (counts.get(key) ?? 0) + 1)
  }
  return [...counts]
    .map(([key, actors]) => ({ values: JSON.parse(key) as GroupValues, actors }))
    .toSorted((a, b) => b.actors - a.actors || compareValues(a.values, b.values))
    .slice(0, limit)
    .map(({ values }) => values)
}

const maskOf = (question: FunnelQuestion, event: WorldEvent, id: string, all: readonly WorldEvent[]): number => {
  const {
    steps,
    firstSteps,
    exclusions,
    actor,
    events: { matching },
  } = question
  const isAllowed = (step: number): boolean => {
    const first = firstSteps.find((each) => each.step === step)
    if (first === undefined) return true
    const rivals = all.filter((each) => actorOf(actor, each) === id && matches(first.among, each, matching))
    const isEarliest = ({ timestamp, uuid }: WorldEvent): boolean =>
      event.timestamp < timestamp || (event.timestamp === timestamp && event.uuid <= uuid)
    return rivals.includes(event) && rivals.every(isEarliest)
  }
  return [...steps, ...exclusions.map(({ condition }) => condition)].reduce(
    (mask, condition, bit) => mask + (matches(condition, event, matching) && isAllowed(bit) ? 2 ** bit : 0),
    0,
  )
}

/** The place of the lowest bit; -1 for none. */
const firstBitOf = (mask: number): number => Array.from({ length: 32 }, (_, bit) => (mask >>> bit) & 1).indexOf(1)

const compareEvents = (a: FunnelEvent, b: FunnelEvent): number =>
  a.event.timestamp - b.event.timestamp ||
  firstBitOf(a.mask) - firstBitOf(b.mask) ||
  a.mask - b.mask ||
  (a.event.uuid < b.event.uuid ? -1 : 1)

/** The conversions of one actor: one, or one for each period in which it begins. */
const convert = (list: readonly FunnelEvent[], question: FunnelQuestion): readonly Conversion[] => {
  const { steps, view } = question
  const events: ActorEvents = {
    count: list.length,
    times: Float64Array.from(list, ({ event }) => event.timestamp),
    masks: Int32Array.from(list, ({ mask }) => mask),
  }
  const rules = { ...question, stepCount: steps.length }
  const isInPeriod = (time: number, index: number): boolean =>
    view.kind !== 'rates' ||
    isIn({ from: view.periods.starts[index]!, before: view.periods.starts[index + 1] ?? Infinity }, time)
  return (view.kind === 'rates' ? view.periods.starts : [0]).flatMap((_, index) => {
    const places = [...list.keys()].filter((place) => isInPeriod(events.times[place]!, index))
    if (places.length === 0) return []
    const chain = findConversion(events, rules, { from: places[0]!, before: places.at(-1)! + 1 })
    const times = chain.map((place) => events.times[place] ?? null)
    const group = didStep({ times }, view.kind === 'rates' ? view.fromStep : 0) ? groupOf(list, chain, question) : null
    return group === null ? [] : [{ group, times }]
  })
}

const groupOf = (
  list: readonly FunnelEvent[],
  chain: Chain,
  { breakdown, steps }: FunnelQuestion,
): GroupValues | null => {
  if (breakdown === null) return []
  const { attribution, properties } = breakdown
  if (attribution.of === 'all_events') return list[0]!.values
  if (attribution.of === 'step') return list[chain[attribution.step] ?? -1]?.values ?? null
  const touches = list
    .filter(({ mask, values }) => mask % 2 ** steps.length !== 0 && values.some((value) => value !== null))
    .toSorted((a, b) => a.event.timestamp - b.event.timestamp || (a.event.uuid < b.event.uuid ? -1 : 1))
  return touches.at(attribution.of === 'first_touch' ? 0 : -1)?.values ?? properties.map(() => null)
}

const average = (numbers: readonly number[]): number | null =>
  numbers.length === 0 ? null : numbers.reduce((sum, number) => sum + number / 1000, 0) / numbers.length

const median = (numbers: readonly number[]): number | null => {
  const sorted = numbers.toSorted((a, b) => a - b)
  const middle = sorted.slice(Math.ceil(sorted.length / 2) - 1, Math.floor(sorted.length / 2) + 1)
  return average(middle)
}

const count = (view: FunnelView, list: readonly Conversion[], { steps }: FunnelQuestion): FunnelNumbers => {
  const between = (from: number, to: number): readonly number[] =>
    list.flatMap(({ times }) => {
      const [begin, end] = [times[from] ?? null, times[to] ?? null]
      return begin === null || end === null ? [] : [end - begin]
    })
  /** From the step done before. */
  const untilStep = (step: number): readonly number[] =>
    list.flatMap(({ times }) => {
      const [time, before] = [times[step] ?? null, times.slice(0, step).findLast((each) => each !== null) ?? null]
      return time === null || before === null ? [] : [time - before]
    })
  if (view.kind === 'steps')
    return {
      kind: 'steps',
      steps: steps.map((_, step) => ({
        count: list.filter((each) => didStep(each, step)).length,
        averageSeconds: average(untilStep(step)),
        medianSeconds: median(untilStep(step)),
      })),
    }
  if (view.kind === 'times') {
    const times = between(view.fromStep, view.toStep)
    return { kind: 'times', averageSeconds: average(times), bins: divide(times, view.binCount) }
  }
  const { starts } = view.periods
  return {
    kind: 'rates',
    rates: starts.map((start, index) => {
      const began = list.filter(({ times }) => times[0]! >= start && times[0]! < (starts[index + 1] ?? Infinity))
      const converted = began.filter((each) => didStep(each, view.toStep))
      return began.length === 0 ? 0 : (converted.length / began.length) * 100
    }),
  }
}

const divide = (times: readonly number[], binCount: number | null): readonly (readonly [number, number])[] => {
  if (times.length === 0) return []
  const [least, greatest] = [Math.min(...times), Math.max(...times)]
  if (least === greatest) return [[least / 1000, times.length]]
  const length = Math.min(60, binCount ?? Math.ceil(times.length ** (1 / 3) - 1e-9))
  const width = greatest - least
  return Array.from({ length }, (_, index) => {
    const isLast = index === length - 1
    const inBin = times.filter(
      (time) => (time - least) * length >= index * width && (isLast || (time - least) * length < (index + 1) * width),
    )
    return [(least + (index * width) / length) / 1000, inBin.length]
  })
}
