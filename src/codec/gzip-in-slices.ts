import { Gzip } from 'fflate'
import { encodeUtf8 } from './portable-utf8.ts'

/** Characters that are compressed at a time: the least for fflate. Takes 10 ms in Hermes, which has no compiler, on a core of a server. */
const SLICE_LENGTH = 8 * 1024

/**
 * Compresses a string with gzip in slices, for engines without `CompressionStream`.
 *
 * @param pause Called between two slices. Other work of the thread can run until its promise resolves.
 */
export const gzipInSlices = async (input: string, pause: () => Promise<void>): Promise<Uint8Array> => {
  const chunks: Uint8Array[] = []
  // Without a modification time, equal strings give equal bytes.
  const gzip = new Gzip({ mtime: 0 }, (chunk) => chunks.push(chunk))
  let end = 0
  do {
    const start = end
    if (start) await pause()
    end = Math.min(input.length, start + SLICE_LENGTH)
    // A surrogate pair is not split: its halves alone would become U+FFFD.
    if (isHighSurrogate(input.charCodeAt(end - 1))) end = Math.min(input.length, end + 1)
    gzip.push(encodeUtf8(input.slice(start, end)), end === input.length)
  } while (end < input.length)
  return concatenate(chunks)
}

const isHighSurrogate = (code: number): boolean => code >= 0xd800 && code < 0xdc00

const concatenate = (chunks: readonly Uint8Array[]): Uint8Array => {
  const bytes = new Uint8Array(chunks.reduce((length, chunk) => length + chunk.length, 0))
  let offset = 0
  for (const chunk of chunks) {
    bytes.set(chunk, offset)
    offset += chunk.length
  }
  return bytes
}
