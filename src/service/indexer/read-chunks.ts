import type { DecompressedRow } from '../ingest/read-events.ts'
import type { RejectedRow } from '../store/events/event-store.ts'
import type { InboxRow } from '../store/inbox/inbox.ts'
import type { RowPosition } from '../store/row-position.ts'
import { positionAfterRow, positionBeforeEvent, coversEvent, coversRow, isBeyond } from '../store/row-position.ts'
import type { ParsedEvent, RowOptions } from './read-row.ts'
import { readRow } from './read-row.ts'

/**
 * Size after which a chunk ends. A decompressed body may be a thousand times as large as the request, and would use up the memory of
 * the process. The events of small chunks are garbage before the collector moves them, which saves a sixth of the CPU.
 */
const CHUNK_BYTES = 2 * 1024 * 1024

/** Estimated memory of an event beside `ParsedEvent.bytes`: its uuid, numbers and objects. */
const EVENT_BYTES = 300

/** Consecutive events of one inbox row, in processing order. */
export interface RowEvents {
  readonly row: InboxRow
  readonly events: readonly ParsedEvent[]
  readonly rejected: readonly RejectedRow[]
  /** The position once these events are processed. */
  readonly end: RowPosition
}

/** The events of one commit, row by row. Never empty. */
export type Chunk = readonly RowEvents[]

/**
 * Parses the rows after a position and yields them in chunks of about `CHUNK_BYTES`; a large row is split.
 *
 * @param slices The rows, in order, some at a time.
 */
export const readChunks = async function* (
  slices: AsyncIterable<readonly DecompressedRow[]>,
  start: RowPosition,
  options: RowOptions,
): AsyncGenerator<Chunk> {
  let chunk: RowEvents[] = []
  let bytes = 0
  for await (const rows of slices)
    for (const row of rows) {
      if (coversRow(start, row.id)) continue
      let events: ParsedEvent[] = []
      const rejected: RejectedRow[] = []
      for (const item of readRow(row, row.id === start.inboxRow ? start.events : 0, options)) {
        if ('reason' in item) {
          rejected.push(item)
          continue
        }
        if (bytes >= CHUNK_BYTES) {
          yield [...chunk, { row, events, rejected: [], end: positionBeforeEvent(item) }]
          chunk = []
          events = []
          bytes = 0
        }
        events.push(item)
        bytes += EVENT_BYTES + item.bytes
      }
      // Rejected parts are stored with the body.
      if (rejected.length > 0) bytes += row.body.length
      chunk.push({ row, events, rejected, end: positionAfterRow(row.id) })
      if (bytes < CHUNK_BYTES) continue
      yield chunk
      chunk = []
      bytes = 0
    }
  if (chunk.length > 0) yield chunk
}

/** Splits a chunk at a position into the part before it and the part after it; the latter is null when it is empty. */
export const splitChunk = (chunk: Chunk, position: RowPosition): readonly [Chunk, Chunk | null] => {
  const index = chunk.findIndex(({ end }) => isBeyond(end, position))
  const splitRow = chunk[index]
  if (splitRow === undefined) return [chunk, null]
  const before = splitRow.events.filter((event) => coversEvent(position, event))
  const after = { ...splitRow, events: splitRow.events.slice(before.length) }
  return [
    [...chunk.slice(0, index), { ...splitRow, events: before, rejected: [], end: position }],
    [after, ...chunk.slice(index + 1)],
  ]
}
