import type { IngestRequest } from './parse-request.ts'
import type { RequestPart } from './split-request.ts'
import { isLarge, splitRequest } from './split-request.ts'

const WHOLE = { maxValues: Infinity, chunkUnits: Infinity }

/** Indexes of the events of a request that are larger than `MAX_EVENT_BYTES`. */
export const findLargeEvents = (json: string, request: IngestRequest): ReadonlySet<number> => {
  if (!isLarge(json, 0, json.length)) return NONE
  const [part] = splitRequest(json, WHOLE)
  return readLargeEvents(part!, request)
}

/** The same of a part of a request. Events that could not be found in their JSON are measured as JSON that is written again. */
export const readLargeEvents = (
  { json, largeEvents }: RequestPart,
  { isSingle, events }: Pick<IngestRequest, 'isSingle' | 'events'>,
): ReadonlySet<number> => {
  if (largeEvents !== null) return largeEvents.length === 0 ? NONE : new Set(largeEvents)
  if (!isLarge(json, 0, json.length)) return NONE
  if (isSingle) return new Set([0])
  return new Set(
    events.flatMap((event, index) => {
      const written = JSON.stringify(event)
      return isLarge(written, 0, written.length) ? [index] : []
    }),
  )
}

const NONE: ReadonlySet<number> = new Set()
