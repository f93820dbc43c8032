import { pipeline, Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { noop } from '../lib/noop.ts'
import { ImportError, messageOf, systemErrorCode } from './import-error.ts'

/** Returns whether an input that begins with these bytes is gzip. */
export const isGzip = (head: Uint8Array): boolean => head[0] === 0x1f && head[1] === 0x8b

/**
 * Decompresses gzip in Node's thread pool, no faster than the chunks are consumed.
 *
 * @throws {ImportError} `damaged_input` where the gzip is damaged or truncated.
 */
export const gunzip = async function* (chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const decompressed = pipeline(
    Readable.from(chunks, { objectMode: false }),
    createGunzip({ chunkSize: 256 * 1024 }),
    noop,
  )
  try {
    yield* decompressed as AsyncIterable<Uint8Array>
  } catch (error) {
    if (!systemErrorCode(error).startsWith('Z_')) throw error
    throw new ImportError(
      'damaged_input',
      `The gzip is damaged or truncated (${messageOf(error)}). Rows before the damage were imported, except perhaps the last ones.`,
      error,
    )
  }
}
