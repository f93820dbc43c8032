/** Of what is read of an answer, only this: a replaced `fetch` may give less than the whole. */
type Answered = Pick<Response, 'text'> & {
  readonly body?: { getReader?(): ReadableStreamDefaultReader<Uint8Array> } | null
}

/**
 * The text of an answer, or undefined when it has more than `maxBytes` (unpacked), of which no more is then read: a service gone mad must not fill
 * the memory of its callers, and a few hundred packed kilobytes may be hundreds of megabytes. Where a body cannot be read piece by piece it is
 * taken whole.
 */
export const readBody = async (answer: Answered, maxBytes: number): Promise<string | undefined> => {
  const reader = typeof TextDecoder === 'undefined' ? undefined : answer.body?.getReader?.()
  if (!reader) return answer.text()
  const decoder = new TextDecoder()
  let text = ''
  let left = maxBytes
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return text + decoder.decode()
    left -= value.byteLength
    if (left < 0) {
      void reader.cancel().catch(() => {})
      return undefined
    }
    text += decoder.decode(value, { stream: true })
  }
}
