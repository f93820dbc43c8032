/** Compresses with gzip in JavaScript. The code is loaded on first use, because most browsers have gzip of their own. */
export const lazyGzip = async (text: string): Promise<Uint8Array> => {
  const { gzipSync } = await import('../codec/gzip.ts')
  return gzipSync(text)
}
