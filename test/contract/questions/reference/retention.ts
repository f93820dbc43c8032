import type { RetentionAnswer, RetentionQuestion } from '../../../../src/service/insight/question/retention.ts'
import type { GroupValues } from '../../../../src/service/insight/question/trend.ts'
import type { WorldEvent } from '../world.ts'
import { actorOf } from './actor.ts'
import { compareEvents, compareValues } from './compare.ts'
import { matches, textOf } from './matches.ts'
import { isIn, periodOf } from './periods.ts'

/** An actor in the cohort of a period. */
interface Member {
  readonly actor: string
  readonly period: number
  readonly values: GroupValues
}

/** An answer that is computed one event at a time. */
export const answerRetention = (question: RetentionQuestion, all: readonly WorldEvent[]): RetentionAnswer => {
  const { periods, breakdown } = question
  const members = findMembers(question, all)
  const keyOf = ({ values }: Pick<Member, 'values'>): string => JSON.stringify(values)
  const sizes = new Map<string, number>()
  for (const member of members) sizes.set(keyOf(member), (sizes.get(keyOf(member)) ?? 0) + 1)
  const ranked = [...sizes]
    .map(([key, size]) => ({ values: JSON.parse(key) as GroupValues, size }))
    .toSorted((a, b) => b.size - a.size || compareValues(a.values, b.values))
    .map(({ values }) => values)
  const limit = breakdown?.limit ?? 1
  const shown = breakdown === null ? [[]] : ranked.slice(0, limit)
  const count = (isInGroup: (member: Member) => boolean): number[][] =>
    periods.starts.map((_, start) => {
      const cohort = members.filter((member) => member.period === start && isInGroup(member))
      return periods.starts
        .slice(start)
        .map(
          (__, after) =>
            cohort.filter(({ actor }) => after === 0 || returns(question, all, actor, start + after)).length,
        )
    })
  const groups = shown.map((values) => ({ values, cohorts: count((member) => keyOf(member) === keyOf({ values })) }))
  if (breakdown === null || ranked.length <= limit) return { groups }
  const keys = new Set(shown.map((values) => keyOf({ values })))
  return { groups: [...groups, { values: 'others', cohorts: count((member) => !keys.has(keyOf(member))) }] }
}

const findMembers = (
  { events, cohorts, actor, periods, breakdown }: RetentionQuestion,
  all: readonly WorldEvent[],
): readonly Member[] => {
  const isSelected = (event: WorldEvent): boolean => matches(events.condition, event, events.matching)
  const starts = new Map<string, WorldEvent>()
  for (const event of all.toSorted(compareEvents)) {
    const name = actorOf(actor, event)
    if (name === null) continue
    if (cohorts.of === 'every_period') {
      if (!isSelected(event) || !isIn(periods.range, event.timestamp)) continue
      const key = `${periodOf(periods, event.timestamp)} ${name}`
      if (!starts.has(key)) starts.set(key, event)
    } else {
      const isAmong = cohorts.of === 'first_time' ? isSelected(event) : matches(cohorts.among, event, events.matching)
      if (isAmong && !starts.has(name)) starts.set(name, event)
    }
  }
  return [...starts.values()]
    .filter((event) => isSelected(event) && isIn(periods.range, event.timestamp))
    .map((event) => ({
      actor: actorOf(actor, event)!,
      period: periodOf(periods, event.timestamp),
      values: (breakdown?.properties ?? []).map((property) => textOf(property, event)),
    }))
}

const returns = (
  { events, returning, minimumReturns, isCumulative, actor, periods }: RetentionQuestion,
  all: readonly WorldEvent[],
  name: string,
  period: number,
): boolean => {
  const found = all.filter(
    (event) =>
      actorOf(actor, event) === name &&
      isIn(periods.range, event.timestamp) &&
      matches(returning, event, events.matching),
  )
  const returnsIn = (index: number): boolean =>
    found.filter(({ timestamp }) => periodOf(periods, timestamp) === index).length >= minimumReturns
  return periods.starts.some((_, index) => (isCumulative ? index >= period : index === period) && returnsIn(index))
}
