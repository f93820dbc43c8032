import { ROWS_PER_YIELD } from '../../work-in-chunks.ts'
import type { Work } from '../../work-in-chunks.ts'
import type { PathEdge, PathsQuestion } from '../question/paths.ts'
import { createEdgeCounter } from './count-edges.ts'
import type { CountedEdge } from './edge-table.ts'
import { MAX_ITEMS } from './edge-table.ts'
import { createNameItem } from './name-item.ts'
import type { CompareUuids } from './order-events.ts'
import { orderEvents } from './order-events.ts'
import { rankEdges } from './rank-edges.ts'

/** The events of one actor, in any order. */
export interface ActorEvents {
  /** Whole milliseconds. */
  readonly times: Float64Array
  /** The number of each event's value. */
  readonly values: Int32Array
  readonly compareUuids: CompareUuids
}

/** Counts the paths of one actor after the other. All values come first. */
export interface PathCounter {
  /** Adds the value with a number: each different one of all events, such as a URL. */
  addValue(number: number, value: string, isUrl: boolean): void
  addActor(events: ActorEvents): Work
  /** How many different edges and values there are. */
  readonly size: { readonly edges: number; readonly values: number }
  rank(): readonly PathEdge[]
}

/** Most different values that `addValue` takes. Two more items may be the start and the end. */
export const MAX_VALUES = MAX_ITEMS - 2

/** The number of an item that does not count. */
const NO_ITEM = -1

export const createPathCounter = ({
  items: rules,
  start,
  end,
  stepLimit,
  edges: limits,
}: PathsQuestion): PathCounter => {
  const nameItem = createNameItem(rules)
  const names: string[] = []
  const numbers = new Map<string, number>()
  const numberOf = (item: string): number => {
    let number = numbers.get(item)
    if (number === undefined) {
      number = names.push(item) - 1
      numbers.set(item, number)
    }
    return number
  }
  const startNumber = start === null ? null : numberOf(start)
  const endNumber = end === null ? null : numberOf(end)
  const { add, endActor, edges } = createEdgeCounter({ start: startNumber, end: endNumber, stepLimit })
  /** The number of the item of each value, or `NO_ITEM`. */
  const itemOfValue: number[] = []

  const toPathEdge = ({ step, source, target, count, totalMs }: CountedEdge): PathEdge => ({
    step,
    source: names[source]!,
    target: names[target]!,
    count,
    averageMs: totalMs / count,
  })

  return {
    addValue(number, value, isUrl) {
      const item = nameItem(value, isUrl)
      itemOfValue[number] = item === null ? NO_ITEM : numberOf(item)
    },
    *addActor({ times, values, compareUuids }) {
      const order = orderEvents(times, compareUuids)
      for (let index = 0; index < order.length; index++) {
        const place = order[index]!
        const item = itemOfValue[values[place]!]!
        if (item !== NO_ITEM) add(times[place]!, item)
        if (index % ROWS_PER_YIELD === ROWS_PER_YIELD - 1) yield
      }
      endActor()
    },
    get size() {
      return { edges: edges.size(), values: itemOfValue.length }
    },
    rank: () => rankEdges(edges, toPathEdge, limits),
  }
}
