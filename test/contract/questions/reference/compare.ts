import type { GroupValues } from '../../../../src/service/insight/question/trend.ts'
import type { WorldEvent } from '../world.ts'

const compareText = (a: string | null, b: string | null): number => {
  if (a === b) return 0
  if (a === null || b === null) return a === null ? 1 : -1
  return Buffer.compare(Buffer.from(a), Buffer.from(b))
}

/** The order of groups that are equally large: by their values as bytes, those without a value last. */
export const compareValues = (a: GroupValues, b: GroupValues): number =>
  a.map((value, index) => compareText(value, b[index]!)).find((order) => order !== 0) ?? 0

/** The order of events: by time, then by uuid. */
export const compareEvents = (a: WorldEvent, b: WorldEvent): number =>
  a.timestamp - b.timestamp || (a.uuid < b.uuid ? -1 : a.uuid > b.uuid ? 1 : 0)
