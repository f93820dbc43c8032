import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { open, stat } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { countBytes, skipBytes, peekStart } from './chunks.ts'
import { gunzip, isGzip } from './gunzip.ts'
import { ImportError, messageOf, systemErrorCode } from './import-error.ts'

/** Identifies an input, so that a later run can tell whether it is the same. A stream has no identity before it is read. */
export type InputIdentity =
  | { readonly kind: 'file'; readonly size: number; readonly modifiedMs: number; readonly head: string }
  | { readonly kind: 'stream' }

/** The source of an import, as bytes. */
export interface Input {
  readonly identity: InputIdentity
  /** Size in bytes, before decompression; null for a stream. */
  readonly sizeBytes: number | null
  /** Bytes read so far, before decompression. */
  readonly bytesRead: () => number
  /** Opens the input, decompressed, from this offset on. Must be called only once. */
  readonly open: (offset: number) => AsyncIterable<Uint8Array>
}

/** The bytes at the start of a file whose hash is part of its identity. */
const HEAD_BYTES = 64 * 1024
/** Bytes read from a file at a time. */
const CHUNK_BYTES = 256 * 1024

/**
 * Opens a file by its path, or a stream of bytes.
 *
 * @throws {ImportError} `unreadable_input` if the file does not exist, is a folder, or cannot be read.
 */
export const openInput = async (source: string | AsyncIterable<Uint8Array>): Promise<Input> => {
  if (typeof source !== 'string') return streamInput(source)
  try {
    const stats = await stat(source)
    if (stats.isDirectory()) throw new ImportError('unreadable_input', `${source} is a folder. Name a file in it.`)
    // A named pipe has a path, but can be read only once and has no size.
    if (!stats.isFile()) return streamInput(createReadStream(source, { highWaterMark: CHUNK_BYTES }))
    return fileInput(source, stats.size, stats.mtimeMs, await readHead(source))
  } catch (error) {
    if (error instanceof ImportError) throw error
    const isMissing = systemErrorCode(error) === 'ENOENT'
    throw new ImportError(
      'unreadable_input',
      isMissing ? `The file ${source} does not exist.` : `${source} cannot be read: ${messageOf(error)}`,
      error,
    )
  }
}

const readHead = async (path: string): Promise<Buffer> => {
  const file = await open(path)
  try {
    const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(HEAD_BYTES), position: 0 })
    return buffer.subarray(0, bytesRead)
  } finally {
    await file.close()
  }
}

const fileInput = (path: string, sizeBytes: number, modifiedMs: number, head: Buffer): Input => {
  let bytesRead = 0
  const readFrom = (start: number): AsyncIterable<Uint8Array> => {
    bytesRead = start
    // Reads no further than the file's size when it was opened, because a log file may grow during the import.
    const isAtEnd = start >= sizeBytes
    const chunks = isAtEnd
      ? Readable.from([])
      : createReadStream(path, { start, end: sizeBytes - 1, highWaterMark: CHUNK_BYTES })
    return countBytes(chunks, (bytes) => (bytesRead += bytes))
  }
  return {
    identity: { kind: 'file', size: sizeBytes, modifiedMs, head: createHash('sha256').update(head).digest('hex') },
    sizeBytes,
    bytesRead: () => bytesRead,
    open: (offset) => (isGzip(head) ? skipBytes(gunzip(readFrom(0)), offset) : readFrom(offset)),
  }
}

const streamInput = (source: AsyncIterable<Uint8Array>): Input => {
  let bytesRead = 0
  return {
    identity: { kind: 'stream' },
    sizeBytes: null,
    bytesRead: () => bytesRead,
    open: (offset) => skipBytes(decompress(countBytes(source, (bytes) => (bytesRead += bytes))), offset),
  }
}

const decompress = async function* (chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const { head, allChunks } = await peekStart(chunks, 2)
  yield* isGzip(head) ? gunzip(allChunks) : allChunks
}
