import { ImportError, messageOf } from './import-error.ts'

/** The same chunks, each told of. A source that fails while it is read fails as `unreadable_input`. */
export const counted = async function* (
  chunks: AsyncIterable<Uint8Array>,
  tell: (bytes: number) => void,
): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of chunks) {
      tell(chunk.byteLength)
      yield chunk
    }
  } catch (error) {
    throw new ImportError('unreadable_input', `The input cannot be read further: ${messageOf(error)}`, error)
  }
}

/** The first bytes of chunks, at least `atLeast` where there are as many, and all chunks, from the first on. */
export const startOf = async (
  chunks: AsyncIterable<Uint8Array>,
  atLeast: number,
): Promise<{ head: Uint8Array; all: AsyncGenerator<Uint8Array> }> => {
  const iterator = chunks[Symbol.asyncIterator]()
  let head = Buffer.alloc(0)
  let isDone = false
  while (head.length < atLeast && !isDone) {
    const { done, value } = await iterator.next()
    if (done) isDone = true
    else head = Buffer.concat([head, value])
  }
  const all = async function* (): AsyncGenerator<Uint8Array> {
    try {
      yield head
      while (!isDone) {
        const { done, value } = await iterator.next()
        if (done) isDone = true
        else yield value
      }
    } finally {
      if (!isDone) await iterator.return?.()
    }
  }
  return { head, all: all() }
}

/** The chunks without their first `offset` bytes. */
export const skipped = async function* (chunks: AsyncIterable<Uint8Array>, offset: number): AsyncGenerator<Uint8Array> {
  let left = offset
  for await (const chunk of chunks) {
    if (left < chunk.byteLength) yield left === 0 ? chunk : chunk.subarray(left)
    left = Math.max(0, left - chunk.byteLength)
  }
  if (left > 0) {
    throw new ImportError(
      'other_input',
      'The input ends before the place where the import is to go on: it is another one.',
    )
  }
}
