import { readAhead } from './read-ahead.ts'
import { peekStart } from './chunks.ts'
import { detectFormat, formatFromName } from './detect-format.ts'
import { ImportError } from './import-error.ts'
import type { InputOptions } from './import-options.ts'
import { MAX_ROW_BYTES } from './limits.ts'
import type { InputPosition } from './row.ts'
import { createRowParser } from './row-parser.ts'
import type { ImportFormat } from './row-parser.ts'
import { createRowSplitter } from './row-splitter.ts'
import { readRowBatches } from './row-batches.ts'
import type { RowBatch } from './row-batches.ts'

/** Where reading starts. */
export interface ReadStart {
  readonly position: InputPosition
  /** What an earlier run found at the beginning of the input; null if this run reads the beginning itself. */
  readonly resumed: { readonly format: ImportFormat; readonly header: readonly string[] | null } | null
}

/** An input that is being read. */
export interface InputReading {
  readonly format: ImportFormat
  readonly batches: AsyncGenerator<RowBatch>
  /** Returns the header of a CSV file; null for NDJSON, and before the first batch. */
  readonly header: () => readonly string[] | null
  /** Returns the names of fields that were ignored so far. */
  readonly ignored: () => readonly string[]
}

/** Bytes at the start of an input that the format is detected from. */
const DETECTION_BYTES = 1024

/**
 * Reads the batches of an input.
 *
 * @param chunks The decompressed bytes from `position` on.
 * @throws {ImportError} `wrong_format` for an input that is neither NDJSON nor CSV.
 */
export const readInput = async (
  chunks: AsyncIterable<Uint8Array>,
  { source, format: chosenFormat, textColumns = [], signal }: InputOptions,
  { position, resumed }: ReadStart,
): Promise<InputReading> => {
  const { head, all } = await peekStart(chunks, DETECTION_BYTES)
  const expectedFormat = chosenFormat ?? (typeof source === 'string' ? formatFromName(source) : undefined)
  const format = resumed?.format ?? detectFormat(head.subarray(0, DETECTION_BYTES), expectedFormat)
  const parser = createRowParser({ format, header: resumed?.header ?? null, textColumns })
  const splitter = createRowSplitter({ hasQuotes: format === 'csv', maxRowBytes: MAX_ROW_BYTES, from: position })
  const batches = readRowBatches({ chunks: all, splitter, parser, from: position })
  return {
    format,
    batches: readAhead(resumed === null && format === 'ndjson' ? checkFirstBatch(batches) : batches, signal),
    header: parser.header,
    ignored: parser.ignored,
  }
}

/** Yields the same batches. If no row of the first batch is JSON, the input has another format, and an `ImportError` is thrown. */
const checkFirstBatch = async function* (batches: AsyncGenerator<RowBatch>): AsyncGenerator<RowBatch> {
  let isFirst = true
  for await (const batch of batches) {
    const { events, rejects } = batch
    if (isFirst && events.length === 0 && rejects.every(({ reason }) => reason === 'invalid_json')) {
      throw new ImportError(
        'wrong_format',
        `None of the first ${rejects.length} lines is a JSON object. If the input is not NDJSON, set its format.`,
      )
    }
    isFirst = false
    yield batch
  }
}
