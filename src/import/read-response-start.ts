/** Reads at most `maxBytes` of a response as a string, and closes the connection of a longer one. */
export const readResponseStart = async ({ body }: Response, maxBytes: number): Promise<string> => {
  const chunks: Uint8Array[] = []
  let size = 0
  // Leaving the loop cancels the stream, which closes the connection.
  for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
    chunks.push(chunk)
    size += chunk.byteLength
    if (size >= maxBytes) break
  }
  return Buffer.concat(chunks).subarray(0, maxBytes).toString()
}
