/** The part of a response that is read; a custom `fetch` may provide no more. */
type ReadableResponse = Pick<Response, 'text'> & {
  readonly body?: { getReader?(): ReadableStreamDefaultReader<Uint8Array> } | null
}

/**
 * Reads the body of a response; undefined when it exceeds `maxBytes` after decompression.
 *
 * The limit protects the caller's memory from a faulty service: a few hundred compressed kilobytes may become hundreds of megabytes. A body
 * that cannot be read in chunks is read without the limit.
 */
export const readBody = async (response: ReadableResponse, maxBytes: number): Promise<string | undefined> => {
  const reader = typeof TextDecoder === 'undefined' ? undefined : response.body?.getReader?.()
  if (!reader) return response.text()
  const decoder = new TextDecoder()
  let text = ''
  let remaining = maxBytes
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return text + decoder.decode()
    remaining -= value.byteLength
    if (remaining < 0) {
      void reader.cancel().catch(() => {})
      return undefined
    }
    text += decoder.decode(value, { stream: true })
  }
}
