/** The text at the beginning of an answer, of so many bytes: a host that never ends its answer is no longer listened to. */
export const startOfAnswer = async ({ body }: Response, mostBytes: number): Promise<string> => {
  const chunks: Uint8Array[] = []
  let size = 0
  // Leaving the loop cancels the stream, which ends the connection.
  for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
    chunks.push(chunk)
    size += chunk.byteLength
    if (size >= mostBytes) break
  }
  return Buffer.concat(chunks).subarray(0, mostBytes).toString()
}
