import { createHash } from 'node:crypto'
import { ImportError } from './import-error.ts'

/** Hashes the beginning of a stream, up to any offset. Keeps only the chunks that were read after the last requested offset. */
export interface PrefixHash {
  /** Yields the same chunks, and records them for the hash. */
  observe(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array>
  /** Returns the hash of the first `offset` bytes. The offset must not be lower than in the call before. */
  digestAt(offset: number): string
}

export const createPrefixHash = (): PrefixHash => {
  const hash = createHash('sha256')
  let hashedBytes = 0
  let pending: Uint8Array[] = []
  return {
    async *observe(chunks) {
      for await (const chunk of chunks) {
        pending.push(chunk)
        yield chunk
      }
    },
    digestAt(offset) {
      while (hashedBytes < offset && pending.length > 0) {
        const [first, ...others] = pending as [Uint8Array, ...Uint8Array[]]
        const part = first.subarray(0, offset - hashedBytes)
        hash.update(part)
        hashedBytes += part.byteLength
        pending = part.byteLength === first.byteLength ? others : [first.subarray(part.byteLength), ...others]
      }
      return hash.copy().digest('hex')
    },
  }
}

/**
 * Yields the chunks after the first `offset` bytes, and observes all chunks.
 *
 * @param expected Hash of the first `offset` bytes.
 * @throws {ImportError} `other_input`, before any chunk, if the first bytes have another hash or the input is shorter.
 */
export const resumeStream = async function* (
  chunks: AsyncIterable<Uint8Array>,
  prefixHash: PrefixHash,
  offset: number,
  expected: string | null,
): AsyncGenerator<Uint8Array> {
  let readBytes = 0
  for await (const chunk of prefixHash.observe(chunks)) {
    const chunkStart = readBytes
    readBytes += chunk.byteLength
    if (chunkStart >= offset) yield chunk
    else {
      const actual = prefixHash.digestAt(Math.min(readBytes, offset))
      if (readBytes < offset) continue
      if (actual !== expected) throw otherInput('its beginning differs')
      if (readBytes > offset) yield chunk.subarray(offset - chunkStart)
    }
  }
  if (readBytes < offset) throw otherInput('it ends before the position where the import stopped')
}

const otherInput = (reason: string): ImportError =>
  new ImportError('other_input', `This is not the input that the journal belongs to: ${reason}.`)
