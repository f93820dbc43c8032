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
  let pendingChunks: Uint8Array[] = []
  return {
    async *observe(chunks) {
      for await (const chunk of chunks) {
        pendingChunks.push(chunk)
        yield chunk
      }
    },
    digestAt(offset) {
      while (hashedBytes < offset && pendingChunks.length > 0) {
        const [firstChunk, ...otherChunks] = pendingChunks as [Uint8Array, ...Uint8Array[]]
        const hashedPart = firstChunk.subarray(0, offset - hashedBytes)
        hash.update(hashedPart)
        hashedBytes += hashedPart.byteLength
        const isWhole = hashedPart.byteLength === firstChunk.byteLength
        pendingChunks = isWhole ? otherChunks : [firstChunk.subarray(hashedPart.byteLength), ...otherChunks]
      }
      return hash.copy().digest('hex')
    },
  }
}

/**
 * Yields the chunks after the first `offset` bytes. All chunks pass through `prefixHash`.
 *
 * @param expectedDigest Hash of the first `offset` bytes.
 * @throws {ImportError} `other_input`, before any chunk, if the first bytes have another hash or the input is shorter.
 */
export const resumeStream = async function* (
  chunks: AsyncIterable<Uint8Array>,
  prefixHash: PrefixHash,
  offset: number,
  expectedDigest: string | null,
): AsyncGenerator<Uint8Array> {
  let bytesRead = 0
  for await (const chunk of prefixHash.observe(chunks)) {
    const chunkStart = bytesRead
    bytesRead += chunk.byteLength
    if (chunkStart >= offset) yield chunk
    else {
      const actualDigest = prefixHash.digestAt(Math.min(bytesRead, offset))
      if (bytesRead < offset) continue
      if (actualDigest !== expectedDigest) throw otherInput('its beginning differs')
      if (bytesRead > offset) yield chunk.subarray(offset - chunkStart)
    }
  }
  if (bytesRead < offset) throw otherInput('it ends before the position where the import stopped')
}

const otherInput = (reason: string): ImportError =>
  new ImportError('other_input', `This is not the input that the journal belongs to: ${reason}.`)
