import { Gzip } from 'fflate'
import { encodeUtf8 } from './portable-utf8.ts'

/** Characters that are compressed at a time: the least for fflate. Takes 10 ms in Hermes, which has no compiler, on a core of a server. */
const CHUNK_LENGTH = 8 * 1024

/**
 * Compresses a string with gzip in chunks, for engines without `CompressionStream`.
 *
 * @param pause Called between two chunks. Other work of the thread can run until its promise resolves.
 */
export const gzipInChunks = async (input: string, pause: () => Promise<void>): Promise<Uint8Array> => {
  const parts: Uint8Array[] = []
  // Without a modification time, equal strings give equal bytes.
  const gzip = new Gzip({ mtime: 0 }, (part) => parts.push(part))
  let end = 0
  do {
    const start = end
    if (start) await pause()
    end = Math.min(input.length, start + CHUNK_LENGTH)
    // A surrogate pair is not split: its halves alone would become U+FFFD.
    if (isHighSurrogate(input.charCodeAt(end - 1))) end = Math.min(input.length, end + 1)
    gzip.push(encodeUtf8(input.slice(start, end)), end === input.length)
  } while (end < input.length)
  return concatenate(parts)
}

const isHighSurrogate = (code: number): boolean => code >= 0xd800 && code < 0xdc00

const concatenate = (parts: readonly Uint8Array[]): Uint8Array => {
  const bytes = new Uint8Array(parts.reduce((length, part) => length + part.length, 0))
  let offset = 0
  for (const part of parts) {
    bytes.set(part, offset)
    offset += part.length
  }
  return bytes
}
