import { MAX_BATCH_EVENTS, MAX_BATCH_LENGTH } from './limits.ts'
import type { Reject } from './reject.ts'
import type { InputPosition, Row } from './row.ts'
import type { ParsedRow, RowParser } from './row-parser.ts'
import type { RowSplitter } from './row-splitter.ts'
import { createRowUuid } from './row-uuid.ts'
import { toEventJson } from './to-event-json.ts'

/** An event that is ready to be sent, and its row, in case the service refuses it. */
export interface ImportEvent {
  /** The event as JSON. */
  readonly json: string
  readonly row: Row
  /** Returns the row as JSON. */
  readonly rowJson: () => string
}

/** A sequence of rows: events to send, and rejects. The journal records progress after each batch as a whole. */
export interface RowBatch {
  readonly events: readonly ImportEvent[]
  readonly rejects: readonly Reject[]
  /** The position after the last row. */
  readonly end: InputPosition
}

export interface RowBatchParts {
  readonly chunks: AsyncIterable<Uint8Array>
  readonly splitter: RowSplitter
  readonly parser: RowParser
  /** The position where the first chunk begins. */
  readonly startPosition: InputPosition
}

/**
 * Reads the rows of an input in batches, each as large as one request may be. Rejected rows count towards the size of a batch, so that an
 * input of invalid rows takes no more memory.
 */
export const readRowBatches = async function* ({
  chunks,
  splitter,
  parser,
  startPosition,
}: RowBatchParts): AsyncGenerator<RowBatch> {
  let { rows: rowCount } = startPosition
  let batch = emptyBatch()
  let end = startPosition

  const addRows = function* (parsedRows: readonly ParsedRow[]): Generator<RowBatch> {
    for (const parsedRow of parsedRows) {
      const { row } = parsedRow
      const result = toEventOrReject(parsedRow, rowCount)
      end = { offset: row.endOffset, lines: row.lineCount, rows: (rowCount += 1), doubtEnd: row.doubtEnd }
      if ('reason' in result) batch.rejects.push(result)
      else batch.events.push(result)
      batch.length += 'reason' in result ? row.bytes.length : result.json.length
      if (batch.length < MAX_BATCH_LENGTH && batch.events.length + batch.rejects.length < MAX_BATCH_EVENTS) continue
      yield { ...batch, end }
      batch = emptyBatch()
    }
  }

  /** Parses at most one batch of rows at a time: a chunk that ends a very long row may bring a great many rows at once. */
  const parseRows = function* (rows: readonly Row[]): Generator<RowBatch> {
    for (let start = 0; start < rows.length; start += MAX_BATCH_EVENTS) {
      yield* addRows(parser.parse(rows.slice(start, start + MAX_BATCH_EVENTS)))
    }
  }

  let failure: unknown = null
  try {
    for await (const chunk of chunks) yield* parseRows(splitter.push(chunk))
    yield* parseRows(splitter.end())
  } catch (error) {
    failure = error
  }
  // After a failure, too: the rows before it are imported.
  if (batch.events.length + batch.rejects.length > 0) yield { ...batch, end }
  if (failure !== null) throw failure
}

const emptyBatch = (): { events: ImportEvent[]; rejects: Reject[]; length: number } => ({
  events: [],
  rejects: [],
  length: 0,
})

const toEventOrReject = (parsedRow: ParsedRow, rowIndex: number): ImportEvent | Reject => {
  const { row, fault, json } = parsedRow
  if (fault !== null) return { ...fault, row, json }
  const eventJson = toEventJson(parsedRow.fields, (timestampMs) => createRowUuid(timestampMs, rowIndex, row.bytes))
  return typeof eventJson === 'string' ? { json: eventJson, row, rowJson: json } : { ...eventJson, row, json: json() }
}
