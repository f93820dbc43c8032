import { QueryError } from '../../../indexer/query-error.ts'
import { FilterError } from '../../../insight/filter/filter-error.ts'
import type { ActorEvents } from '../../../insight/funnel/actor-events.ts'
import type { FunnelQuestion } from '../../../insight/question/funnel.ts'
import type { Work } from '../../../work-in-chunks.ts'
import { ROWS_PER_YIELD } from '../../../work-in-chunks.ts'
import type { NumberSource } from './number-source.ts'
import { sortNumbers } from './sort-numbers.ts'

/** Most events of one actor: they are sorted at once, which takes about a second, and each takes 40 bytes. */
const MAX_ACTOR_EVENTS = 10_000_000

/** The events of an actor as one number each: the time since the start of the range, and in its lowest bits what the event matches. */
export interface EventPacking {
  /** SQL for the number, from the columns `time` and `mask`. */
  readonly sql: string
  /** Reads numbers in any order. The events are valid until the next call. Throws `QueryError` for too many of them. */
  readonly unpack: (numbers: NumberSource, offset: number, count: number) => Work<ActorEvents>
}

/** Throws `FilterError` if times and masks together do not fit in a double. */
export const createEventPacking = ({ range, steps, exclusions, events }: FunnelQuestion): EventPacking => {
  const bits = steps.length + exclusions.length
  const factor = 2 ** bits
  if ((range.before - range.from) * factor > Number.MAX_SAFE_INTEGER)
    throw new FilterError(events.path, 'must have fewer steps and exclusions, or a shorter range of dates')
  let [packed, times, masks] = [new Float64Array(), new Float64Array(), new Int32Array()]

  /** Returns whether each number is at least the one before. */
  const read = (numbers: NumberSource, offset: number, from: number, before: number): boolean => {
    let isSorted = true
    for (let index = from; index < before; index++) {
      const number = numbers.getItem(offset + index) as number
      isSorted &&= index === 0 || packed[index - 1]! <= number
      packed[index] = number
    }
    return isSorted
  }
  /** Returns whether two events have the same time. */
  const split = (from: number, before: number): boolean => {
    let hasSameTime = false
    for (let index = from; index < before; index++) {
      const number = packed[index]!
      const time = Math.floor(number / factor)
      times[index] = range.from + time
      masks[index] = number - time * factor
      hasSameTime ||= index > 0 && times[index - 1] === times[index]
    }
    return hasSameTime
  }
  const sortSameTimes = (count: number): void => {
    for (let from = 0, before = 1; from < count; from = before, before++) {
      while (before < count && times[before] === times[from]) before++
      if (before - from > 1) sortByFirstStep(masks.subarray(from, before), bits)
    }
  }

  return {
    sql: `((time - ${range.from}) * ${factor} + mask)::DOUBLE`,
    *unpack(numbers, offset, count) {
      if (count > MAX_ACTOR_EVENTS)
        throw new QueryError(
          'memory',
          `A person or group has ${count} events in the funnel, and may have ${MAX_ACTOR_EVENTS}. Ask for a shorter range of dates.`,
        )
      if (count > times.length) {
        const length = Math.ceil(1.25 * count)
        ;[packed, times, masks] = [new Float64Array(length), new Float64Array(length), new Int32Array(length)]
      }
      let [isSorted, hasSameTime] = [true, false]
      for (let from = 0; from < count; from += ROWS_PER_YIELD) {
        if (from > 0) yield
        isSorted = read(numbers, offset, from, Math.min(count, from + ROWS_PER_YIELD)) && isSorted
      }
      if (!isSorted) sortNumbers(packed, count)
      for (let from = 0; from < count; from += ROWS_PER_YIELD) {
        if (from > 0) yield
        hasSameTime = split(from, Math.min(count, from + ROWS_PER_YIELD)) || hasSameTime
      }
      if (hasSameTime) sortSameTimes(count)
      return { count, times, masks }
    },
  }
}

/** SQL for what events of the same time are ordered by, before their masks. */
export const FIRST_STEP_SQL = 'mask & -mask'

/** Sorts masks by their lowest bit, then as numbers. A mask has at most 20 bits, so that the place of the lowest one fits beside it. */
const sortByFirstStep = (masks: Int32Array, bits: number): void => {
  for (const [index, mask] of masks.entries()) masks[index] = ((31 - Math.clz32(mask & -mask)) << bits) | mask
  masks.sort()
  const all = (1 << bits) - 1
  for (const [index, key] of masks.entries()) masks[index] = key & all
}
