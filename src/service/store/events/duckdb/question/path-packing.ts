import type { TimeRange } from '../../../../insight/time/periods.ts'
import type { NumberSource } from '../../question/number-source.ts'
import { sortNumbers } from '../../question/sort-numbers.ts'

/** The events of an actor as one number each: the time since the start of the range, and in its lowest bits the number of the item. */
export interface PathPacking {
  /** SQL for the number, from the columns `time` and `number`. */
  readonly sql: string
  /**
   * Reads numbers in any order, and passes on the events in the order of their times. Returns false, and passes on nothing, if two
   * different items have the same time, so that their order is not known. Takes 10 ms for 100,000 numbers.
   */
  readonly unpack: (
    numbers: NumberSource,
    offset: number,
    count: number,
    onEvent: (time: number, item: number) => void,
  ) => boolean
}

/** Null if times and items together do not fit in a double. */
export const createPathPacking = ({ from, before }: TimeRange, itemCount: number): PathPacking | null => {
  const factor = 2 ** Math.ceil(Math.log2(Math.max(1, itemCount)))
  if ((before - from) * factor > Number.MAX_SAFE_INTEGER) return null
  let packed = new Float64Array()
  return {
    sql: `((time - ${from}) * ${factor} + number)::DOUBLE`,
    unpack(numbers, offset, count, onEvent) {
      if (count > packed.length) packed = new Float64Array(Math.ceil(1.25 * count))
      let isSorted = true
      for (let index = 0; index < count; index++) {
        const number = numbers.getItem(offset + index) as number
        isSorted &&= index === 0 || packed[index - 1]! <= number
        packed[index] = number
      }
      if (!isSorted) sortNumbers(packed, count)
      for (let index = 1; index < count; index++) {
        const number = packed[index]!
        const last = packed[index - 1]!
        if (number !== last && Math.floor(number / factor) === Math.floor(last / factor)) return false
      }
      for (let index = 0; index < count; index++) {
        const number = packed[index]!
        const time = Math.floor(number / factor)
        onEvent(from + time, number - time * factor)
      }
      return true
    },
  }
}
