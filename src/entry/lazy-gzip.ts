/** Loaded when it is needed: most platforms have gzip of their own. */
export async function lazyGzip(text: string): Promise<Uint8Array> {
  const { gzipSync } = await import('../codec/gzip.ts')
  return gzipSync(text)
}
