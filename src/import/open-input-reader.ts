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
  /** The format and header that an earlier run of the import found; null if this run starts at the beginning of the input. */
  readonly earlierRun: { readonly format: ImportFormat; readonly header: readonly string[] | null } | null
}

/** Reads an input once, batch by batch. */
export interface InputReader {
  readonly format: ImportFormat
  readonly batches: AsyncGenerator<RowBatch>
  /** Returns the header of a CSV file; null for NDJSON, and before the first batch. */
  readonly header: () => readonly string[] | null
  /** Returns the names of fields in the rows read so far that are not imported, because an event has no such field; at most 50. */
  readonly ignoredFields: () => readonly string[]
}

/** Bytes at the start of an input that the format is detected from. */
const DETECTION_BYTES = 1024

/**
 * Creates a reader of an input. It detects the format, and reads one batch ahead.
 *
 * @param chunks The decompressed bytes from `position` on.
 * @throws {ImportError} `wrong_format` for an input that is neither NDJSON nor CSV.
 */
export const openInputReader = async (
  chunks: AsyncIterable<Uint8Array>,
  { source, format: chosenFormat, textColumns = [], signal }: InputOptions,
  { position, earlierRun }: ReadStart,
): Promise<InputReader> => {
  const { head, allChunks } = await peekStart(chunks, DETECTION_BYTES)
  const expectedFormat = chosenFormat ?? (typeof source === 'string' ? formatFromName(source) : undefined)
  const format = earlierRun?.format ?? detectFormat(head.subarray(0, DETECTION_BYTES), expectedFormat)
  const parser = createRowParser({ format, header: earlierRun?.header ?? null, textColumns })
  const splitter = createRowSplitter({
    hasQuotes: format === 'csv',
    maxRowBytes: MAX_ROW_BYTES,
    startPosition: position,
  })
  const batches = readRowBatches({ chunks: allChunks, splitter, parser, startPosition: position })
  return {
    format,
    batches: readAhead(earlierRun === null && format === 'ndjson' ? checkFirstBatch(batches) : batches, signal),
    header: parser.header,
    ignoredFields: parser.ignoredFields,
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
