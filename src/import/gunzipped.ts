import { pipeline, Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { ImportError, messageOf, systemCode } from './import-error.ts'

/** Whether these first bytes are those of gzip. */
export const isGzip = (head: Uint8Array): boolean => head[0] === 0x1f && head[1] === 0x8b

/** What is in a gzip, unpacked in the thread pool, as fast as it is taken. Throws `ImportError` where it is damaged or cut off. */
export const gunzipped = async function* (chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const unpacking = pipeline(
    Readable.from(chunks, { objectMode: false }),
    createGunzip({ chunkSize: 256 * 1024 }),
    () => undefined,
  )
  try {
    yield* unpacking as AsyncIterable<Uint8Array>
  } catch (error) {
    if (!systemCode(error).startsWith('Z_')) throw error
    throw new ImportError(
      'damaged_input',
      `The gzip is damaged or cut off (${messageOf(error)}). Rows before that place were imported, except perhaps the last ones.`,
      error,
    )
  }
}
