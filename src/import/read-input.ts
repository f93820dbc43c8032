import { ahead } from './ahead.ts'
import { startOf } from './chunks.ts'
import { formatOfHead, formatOfName } from './format.ts'
import { ImportError } from './import-error.ts'
import type { InputOptions } from './import-options.ts'
import { MOST_ROW_BYTES } from './limits.ts'
import type { Place } from './row.ts'
import { createRowReader } from './row-reader.ts'
import type { ImportFormat } from './row-reader.ts'
import { createRowSplitter } from './row-splitter.ts'
import { windows } from './windows.ts'
import type { Window } from './windows.ts'

/** Where reading begins. */
export interface ReadFrom {
  readonly place: Place
  /** Null at the beginning of the input, where they are still to be found. */
  readonly known: { readonly format: ImportFormat; readonly header: readonly string[] | null } | null
}

/** An input while it is read. */
export interface InputReading {
  readonly format: ImportFormat
  readonly windows: AsyncGenerator<Window>
  /** The header of a CSV, once a window was read. */
  readonly header: () => readonly string[] | null
  /** Names of fields that were left out so far. */
  readonly ignored: () => readonly string[]
}

/** Bytes that show what an input is. */
const SHOWN_BYTES = 1024

/** Reads the windows of an input, whose unpacked bytes from `place` on are given. Throws `ImportError` for what is neither NDJSON nor CSV. */
export const readInput = async (
  chunks: AsyncIterable<Uint8Array>,
  { source, format: given, textColumns = [], signal }: InputOptions,
  { place, known }: ReadFrom,
): Promise<InputReading> => {
  const { head, all } = await startOf(chunks, SHOWN_BYTES)
  const named = given ?? (typeof source === 'string' ? formatOfName(source) : undefined)
  const format = known?.format ?? formatOfHead(head.subarray(0, SHOWN_BYTES), named)
  const reader = createRowReader({ format, header: known?.header ?? null, textColumns })
  const splitter = createRowSplitter({ hasQuotes: format === 'csv', maxRowBytes: MOST_ROW_BYTES, from: place })
  const found = windows({ chunks: all, splitter, reader, from: place })
  return {
    format,
    windows: ahead(known === null && format === 'ndjson' ? likely(found) : found, signal),
    header: reader.header,
    ignored: reader.ignored,
  }
}

/** The same windows; throws `ImportError` when the first is nothing but rows that are no JSON: the input is something else. */
const likely = async function* (found: AsyncGenerator<Window>): AsyncGenerator<Window> {
  let isFirst = true
  for await (const window of found) {
    const { events, rejects } = window
    if (isFirst && events.length === 0 && rejects.every(({ reason }) => reason === 'invalid_json')) {
      throw new ImportError(
        'wrong_format',
        `None of the first ${rejects.length} lines is a JSON object. If the input is no NDJSON, tell its format.`,
      )
    }
    isFirst = false
    yield window
  }
}
