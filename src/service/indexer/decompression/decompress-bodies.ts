import { decompressBody, readDecompressedSize } from '../../ingest/decode-body.ts'
import type { PackedBodies } from './pack-bodies.ts'
import { unpackBodies } from './pack-bodies.ts'

/** Decompressed bodies. */
export interface DecompressedBodies extends PackedBodies {
  /** The places of the bodies that are damaged, or did not fit; they are empty. */
  readonly left: readonly number[]
}

/** Most bytes of a result. A body may be a thousand times as large as it is compressed. */
const MAX_BYTES = 8 * 1024 * 1024

/**
 * Decompresses bodies of gzip into one buffer. Its size is what the senders wrote into the bodies, so one that is larger leaves less room for
 * the others.
 *
 * @param maxBytes Most bytes of the result. Default: 8 MB.
 */
export const decompressBodies = (packed: PackedBodies, maxBytes: number = MAX_BYTES): DecompressedBodies => {
  const bodies = unpackBodies(packed)
  const size = bodies.reduce((sum, body) => sum + readDecompressedSize(body), 0)
  const bytes = new Uint8Array(Math.min(size, maxBytes))
  const ends = new Uint32Array(bodies.length)
  const left: number[] = []
  let end = 0
  for (const [index, body] of bodies.entries()) {
    const decompressed = decompress(body, bytes.length - end)
    if (decompressed === null) left.push(index)
    else {
      bytes.set(decompressed, end)
      end += decompressed.length
    }
    ends[index] = end
  }
  return { bytes, ends, left }
}

/** Null if it is damaged, or larger than the room. */
const decompress = (body: Uint8Array, room: number): Uint8Array | null => {
  if (readDecompressedSize(body) > room) return null
  try {
    // A very small body is larger when it is compressed.
    const decompressed = decompressBody(body, Math.max(room, body.length) + 1)
    return decompressed.length > room ? null : decompressed
  } catch {
    return null
  }
}
