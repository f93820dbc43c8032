import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { open, stat } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { counted, skipped, startOf } from './chunks.ts'
import { gunzipped, isGzip } from './gunzipped.ts'
import { ImportError, messageOf, systemCode } from './import-error.ts'

/** What is known of an input, to know it again. Of a stream nothing is known before it is read. */
export type InputIdentity =
  | { readonly kind: 'file'; readonly size: number; readonly modifiedMs: number; readonly head: string }
  | { readonly kind: 'stream' }

/** What is imported, as bytes. */
export interface Input {
  readonly identity: InputIdentity
  /** Bytes as they lie there, packed ones too; null where nobody knows before the end. */
  readonly sizeBytes: number | null
  /** How many of them were read. */
  readonly bytesRead: () => number
  /** The unpacked bytes from a place on. Once only. */
  readonly open: (offset: number) => AsyncIterable<Uint8Array>
}

/** Bytes at the beginning of a file that it is known by. */
const HEAD_BYTES = 64 * 1024
const CHUNK_BYTES = 256 * 1024

/** Opens a file by its path, or takes a stream of bytes. Throws `ImportError` where there is nothing to read. */
export const openInput = async (source: string | AsyncIterable<Uint8Array>): Promise<Input> => {
  if (typeof source !== 'string') return streamInput(source)
  try {
    const found = await stat(source)
    if (found.isDirectory()) throw new ImportError('unreadable_input', `${source} is a folder.`)
    // A pipe has a path, too.
    if (!found.isFile()) return streamInput(createReadStream(source, { highWaterMark: CHUNK_BYTES }))
    return fileInput(source, found.size, found.mtimeMs, await headOf(source))
  } catch (error) {
    if (error instanceof ImportError) throw error
    const isMissing = systemCode(error) === 'ENOENT'
    throw new ImportError(
      'unreadable_input',
      isMissing ? `There is no file ${source}.` : `${source} cannot be read: ${messageOf(error)}`,
      error,
    )
  }
}

const headOf = async (path: string): Promise<Buffer> => {
  const file = await open(path)
  try {
    const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(HEAD_BYTES), position: 0 })
    return buffer.subarray(0, bytesRead)
  } finally {
    await file.close()
  }
}

const fileInput = (path: string, sizeBytes: number, modifiedMs: number, head: Buffer): Input => {
  let read = 0
  const chunksFrom = (start: number): AsyncIterable<Uint8Array> => {
    read = start
    // No further than the file went when it was opened: a log may grow meanwhile.
    const isAtEnd = start >= sizeBytes
    const chunks = isAtEnd
      ? Readable.from([])
      : createReadStream(path, { start, end: sizeBytes - 1, highWaterMark: CHUNK_BYTES })
    return counted(chunks, (bytes) => (read += bytes))
  }
  return {
    identity: { kind: 'file', size: sizeBytes, modifiedMs, head: createHash('sha256').update(head).digest('hex') },
    sizeBytes,
    bytesRead: () => read,
    open: (offset) => (isGzip(head) ? skipped(gunzipped(chunksFrom(0)), offset) : chunksFrom(offset)),
  }
}

const streamInput = (source: AsyncIterable<Uint8Array>): Input => {
  let read = 0
  return {
    identity: { kind: 'stream' },
    sizeBytes: null,
    bytesRead: () => read,
    open: (offset) => skipped(unpacked(counted(source, (bytes) => (read += bytes))), offset),
  }
}

const unpacked = async function* (chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const { head, all } = await startOf(chunks, 2)
  yield* isGzip(head) ? gunzipped(all) : all
}
