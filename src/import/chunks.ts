import { ImportError, messageOf } from './import-error.ts'

/** Yields the same chunks and reports the bytes of each. An error of the source is thrown as `unreadable_input`. */
export const countBytes = async function* (
  chunks: AsyncIterable<Uint8Array>,
  onBytes: (bytes: number) => void,
): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of chunks) {
      onBytes(chunk.byteLength)
      yield chunk
    }
  } catch (error) {
    throw new ImportError('unreadable_input', `The input cannot be read further: ${messageOf(error)}`, error)
  }
}

/**
 * Reads the first bytes without consuming them.
 *
 * @returns `head`: at least `minBytes` bytes, or fewer if the input is shorter. `allChunks`: the whole input, `head` included.
 */
export const peekStart = async (
  chunks: AsyncIterable<Uint8Array>,
  minBytes: number,
): Promise<{ head: Uint8Array; allChunks: AsyncGenerator<Uint8Array> }> => {
  const iterator = chunks[Symbol.asyncIterator]()
  let head = Buffer.alloc(0)
  let hasEnded = false
  while (head.length < minBytes && !hasEnded) {
    const { done, value } = await iterator.next()
    if (done) hasEnded = true
    else head = Buffer.concat([head, value])
  }
  const readAll = async function* (): AsyncGenerator<Uint8Array> {
    try {
      yield head
      while (!hasEnded) {
        const { done, value } = await iterator.next()
        if (done) hasEnded = true
        else yield value
      }
    } finally {
      if (!hasEnded) await iterator.return?.()
    }
  }
  return { head, allChunks: readAll() }
}

/** Yields the chunks without their first `offset` bytes. Throws `ImportError` if there are fewer bytes than that. */
export const skipBytes = async function* (
  chunks: AsyncIterable<Uint8Array>,
  offset: number,
): AsyncGenerator<Uint8Array> {
  let remaining = offset
  for await (const chunk of chunks) {
    if (remaining < chunk.byteLength) yield remaining === 0 ? chunk : chunk.subarray(remaining)
    remaining = Math.max(0, remaining - chunk.byteLength)
  }
  if (remaining > 0) {
    throw new ImportError(
      'other_input',
      'The input ends before the position where the import stopped, so it is a different input.',
    )
  }
}
