/** Bytes that are written at once. */
const BLOCK_BYTES = 64 * 1024

/** Joins small chunks, so that a file of a million rows is not written in a million steps. */
export const joinChunks = async function* (chunks: AsyncIterable<string | Uint8Array>): AsyncGenerator<Buffer> {
  let waiting: Buffer[] = []
  let bytes = 0
  for await (const chunk of chunks) {
    const buffer = Buffer.from(chunk as Uint8Array)
    waiting.push(buffer)
    bytes += buffer.length
    if (bytes < BLOCK_BYTES) continue
    yield Buffer.concat(waiting)
    waiting = []
    bytes = 0
  }
  if (bytes > 0) yield Buffer.concat(waiting)
}
