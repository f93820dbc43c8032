import { createHash } from 'node:crypto'
import { ImportError } from './import-error.ts'

/** Knows an input again by all of its bytes up to a place, though only so much of it is kept as was read beyond the last place asked for. */
export interface PrefixHash {
  /** The same chunks, looked at as they pass. */
  watch(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array>
  /** The hash of the first `offset` bytes; each offset is at least the last one. */
  at(offset: number): string
}

export const createPrefixHash = (): PrefixHash => {
  const hash = createHash('sha256')
  let hashed = 0
  let waiting: Uint8Array[] = []
  return {
    async *watch(chunks) {
      for await (const chunk of chunks) {
        waiting.push(chunk)
        yield chunk
      }
    },
    at(offset) {
      while (hashed < offset && waiting.length > 0) {
        const [first, ...more] = waiting as [Uint8Array, ...Uint8Array[]]
        const taken = first.subarray(0, offset - hashed)
        hash.update(taken)
        hashed += taken.byteLength
        waiting = taken.byteLength === first.byteLength ? more : [first.subarray(taken.byteLength), ...more]
      }
      return hash.copy().digest('hex')
    },
  }
}

/**
 * The chunks behind the first `offset` bytes, all watched. Throws `ImportError` before the first of them when the bytes before are not those
 * of `expected`.
 */
export const continued = async function* (
  chunks: AsyncIterable<Uint8Array>,
  prefix: PrefixHash,
  offset: number,
  expected: string | null,
): AsyncGenerator<Uint8Array> {
  let passed = 0
  for await (const chunk of prefix.watch(chunks)) {
    const before = passed
    passed += chunk.byteLength
    if (before >= offset) yield chunk
    else {
      const found = prefix.at(Math.min(passed, offset))
      if (passed < offset) continue
      if (found !== expected) throw isAnother('its beginning differs')
      if (passed > offset) yield chunk.subarray(offset - before)
    }
  }
  if (passed < offset) throw isAnother('it ends before the place where the import is to go on')
}

const isAnother = (how: string): ImportError =>
  new ImportError('other_input', `This is not the input that the journal belongs to: ${how}.`)
