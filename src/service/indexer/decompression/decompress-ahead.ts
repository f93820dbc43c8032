import { isGzip, readDecompressedSize } from '../../ingest/decode-body.ts'
import type { DecompressedRow } from '../../ingest/read-events.ts'
import type { InboxRow } from '../../store/inbox/inbox.ts'

/**
 * Decompresses bodies of gzip elsewhere. The result has null for a body that is damaged, or that did not fit: it is then decompressed where
 * it is read, which also gives the reason.
 */
export type Decompress = (bodies: readonly Uint8Array[]) => Promise<readonly (Uint8Array | null)[]>

/** Decompressed size of a slice. */
const SLICE_BYTES = 1024 * 1024

/** Smaller slices are decompressed where they are read, in a few milliseconds: under little load there is nothing to do meanwhile. */
const MIN_SLICE_BYTES = 256 * 1024

/**
 * Yields rows in slices, in order, with their bodies decompressed. While the caller reads a slice, the next one is decompressed.
 *
 * @param decompress Default: each body is decompressed where it is read.
 */
export const decompressAhead = async function* (
  rows: Iterable<InboxRow>,
  decompress: Decompress | undefined,
): AsyncGenerator<readonly DecompressedRow[]> {
  let next: Promise<readonly DecompressedRow[]> | null = null
  for (const { slice, bytes } of sliceRows(rows)) {
    const current = next
    next =
      decompress === undefined || bytes < MIN_SLICE_BYTES ? Promise.resolve(slice) : decompressRows(slice, decompress)
    // Handled where it is awaited.
    next.catch(() => undefined)
    if (current !== null) yield await current
  }
  if (next !== null) yield await next
}

const sliceRows = function* (rows: Iterable<InboxRow>): Generator<{ slice: readonly InboxRow[]; bytes: number }> {
  let slice: InboxRow[] = []
  let bytes = 0
  for (const row of rows) {
    slice.push(row)
    bytes += isGzip(row.body) ? readDecompressedSize(row.body) : row.body.length
    if (bytes < SLICE_BYTES) continue
    yield { slice, bytes }
    slice = []
    bytes = 0
  }
  if (slice.length > 0) yield { slice, bytes }
}

const decompressRows = async (
  rows: readonly InboxRow[],
  decompress: Decompress,
): Promise<readonly DecompressedRow[]> => {
  const bodies = rows.map(({ body }) => body).filter(isGzip)
  if (bodies.length === 0) return rows
  const decompressed = (await decompress(bodies)).values()
  return rows.map((row) => (isGzip(row.body) ? { ...row, decompressed: decompressed.next().value ?? null } : row))
}
