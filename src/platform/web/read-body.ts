import { noop } from '../../lib/noop.ts'

/** The members of a response that are used; the response of a custom `fetch` may have no others. */
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
  let body = ''
  let remainingBytes = maxBytes
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return body + decoder.decode()
    remainingBytes -= value.byteLength
    if (remainingBytes < 0) {
      void reader.cancel().catch(noop)
      return undefined
    }
    body += decoder.decode(value, { stream: true })
  }
}
