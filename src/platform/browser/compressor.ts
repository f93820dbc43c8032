import type { Compressor } from '../../port/compressor.ts'

/**
 * Gzip by the platform's own stream, off the main thread.
 *
 * @param fallback In its place where there is none or it fails.
 */
export const browserCompressor =
  (fallback?: Compressor): Compressor =>
  async (text) => {
    try {
      const { readable, writable } = new CompressionStream('gzip')
      // A Blob as its source would keep the page's thread busy for milliseconds per batch.
      const writer = writable.getWriter()
      const [bytes] = await Promise.all([
        new Response(readable).arrayBuffer(),
        writer.write(new TextEncoder().encode(text)),
        writer.close(),
      ])
      return new Uint8Array(bytes)
    } catch (error) {
      if (fallback) return fallback(text)
      throw error
    }
  }
