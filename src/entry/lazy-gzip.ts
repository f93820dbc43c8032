/** Gzip that is loaded on first use, because most platforms have their own. */
export const lazyGzip = async (text: string): Promise<Uint8Array> => {
  const { gzipSync } = await import('../codec/gzip.ts')
  return gzipSync(text)
}
