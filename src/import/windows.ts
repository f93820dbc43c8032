import { BATCH_EVENTS, BATCH_LENGTH } from './limits.ts'
import type { Reject } from './reject.ts'
import type { Place, Row } from './row.ts'
import type { Reading, RowReader } from './row-reader.ts'
import type { RowSplitter } from './row-splitter.ts'
import { rowUuid } from './row-uuid.ts'
import { toEvent } from './to-event.ts'

/** An event that is ready to be sent, and the row that it comes from, for the case that it is refused. */
export interface ImportEvent {
  /** The event's JSON. */
  readonly value: string
  readonly row: Row
  readonly rowJson: () => string
}

/** A run of rows: what of it is to be sent, and what is not. Done as a whole, and then never again. */
export interface Window {
  readonly events: readonly ImportEvent[]
  readonly rejects: readonly Reject[]
  /** Where it ends. */
  readonly end: Place
}

/** What rows are read with. */
export interface WindowParts {
  readonly chunks: AsyncIterable<Uint8Array>
  readonly splitter: RowSplitter
  readonly reader: RowReader
  /** Where the first chunk begins. */
  readonly from: Place
}

/**
 * Reads rows until there are enough for one batch, again and again. Rejected rows fill a window like events do, so that an input of nothing
 * but bad rows takes no more memory.
 */
export const windows = async function* ({ chunks, splitter, reader, from }: WindowParts): AsyncGenerator<Window> {
  let { rows } = from
  let window = emptyWindow()
  let end = from

  const take = function* (readings: readonly Reading[]): Generator<Window> {
    for (const reading of readings) {
      const { row } = reading
      const found = eventOf(reading, rows)
      end = { offset: row.end, lines: row.lines, rows: (rows += 1), doubtEnd: row.doubtEnd }
      if ('reason' in found) window.rejects.push(found)
      else window.events.push(found)
      window.length += 'reason' in found ? row.bytes.length : found.value.length
      if (window.length < BATCH_LENGTH && window.events.length + window.rejects.length < BATCH_EVENTS) continue
      yield { ...window, end }
      window = emptyWindow()
    }
  }

  /** A chunk that ends a row of megabytes may bring very many at once. */
  const read = function* (found: readonly Row[]): Generator<Window> {
    for (let at = 0; at < found.length; at += BATCH_EVENTS) yield* take(reader.read(found.slice(at, at + BATCH_EVENTS)))
  }

  let failure: unknown = null
  try {
    for await (const chunk of chunks) yield* read(splitter.push(chunk))
    yield* read(splitter.end())
  } catch (error) {
    failure = error
  }
  // Also what was read before a failure.
  if (window.events.length + window.rejects.length > 0) yield { ...window, end }
  if (failure !== null) throw failure
}

const emptyWindow = (): { events: ImportEvent[]; rejects: Reject[]; length: number } => ({
  events: [],
  rejects: [],
  length: 0,
})

const eventOf = (reading: Reading, place: number): ImportEvent | Reject => {
  const { row, fault, json } = reading
  if (fault !== null) return { ...fault, row, json }
  const event = toEvent(reading.fields, (moment) => rowUuid(moment, place, row.bytes))
  return typeof event === 'string' ? { value: event, row, rowJson: json } : { ...event, row, json: json() }
}
