/** Loaded when it is needed: most platforms have gzip of their own. */
export const lazyGzip = async (text: string): Promise<Uint8Array> => {
  const { gzipSync } = await import('../codec/gzip.ts')
  return gzipSync(text)
}
